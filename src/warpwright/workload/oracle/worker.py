"""The process that runs reference.py: `python -m warpwright.workload.oracle.worker reference.py memory_bytes descriptor`.

descriptor: of the memory that it shares with its parent (`arena.py`), -1 = none. It can write no file beside that one and,
where the platform enforces it, read none outside the interpreter's and the workload's folders.
"""

import mmap
import sys
import traceback
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from warpwright.isolation.framing import Json
from warpwright.isolation.limits import confine_reading, limit_resources
from warpwright.isolation.serve import Answer, Handler, Request, serve
from warpwright.workload.dtypes import DTYPE_NAMES, element_type
from warpwright.workload.generator import generate
from warpwright.workload.oracle.arrays import Bytes, as_bytes, lay_out, nothing_shared, rebuild
from warpwright.workload.oracle.channel import NO_DESCRIPTOR
from warpwright.workload.recipe import Recipe
from warpwright.workload.values import Array

_SYSTEM_FOLDERS = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/localtime",
    "/dev/null",
    "/dev/urandom",
    "/proc/self",
)


class _BadResult(Exception):
    """The user's function gave back something that cannot be used."""


@dataclass(frozen=True, slots=True)
class _Result:
    """What a user's function came to. arrays: as it gave them."""

    body: Json
    arrays: Mapping[str, Array]


class _Reference:
    """The user's module, run when first needed so that its mistakes are answers and not a dead worker."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._module: types.ModuleType | None = None

    def function(self, name: str) -> Callable[..., Any]:
        if self._module is None:
            module = types.ModuleType("reference")
            module.__file__ = self.path.name
            code = compile(self.path.read_text(encoding="utf-8"), self.path.name, "exec")
            exec(code, module.__dict__)
            self._module = module
        found: Callable[..., Any] = getattr(self._module, name)
        return found


def main() -> None:
    """Serve until the parent is gone."""
    path, memory_bytes, descriptor = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

    def start() -> tuple[Json, Handler]:
        limit_resources(address_space_bytes=memory_bytes, file_bytes=0)
        confined = confine_reading(_readable_folders(path))
        reference = _Reference(path)
        return {"confined": confined}, lambda request: _answer(reference, request, descriptor)

    serve(start)


def _readable_folders(path: Path) -> list[Path]:
    interpreter = {Path(folder) for folder in (*sys.path, sys.prefix, sys.base_prefix) if folder}
    return [*sorted(interpreter), *map(Path, _SYSTEM_FOLDERS), path.parent]


def _answer(reference: _Reference, request: Request, descriptor: int) -> Answer:
    body = request.body
    piped = [request.read_bytes() for entry in body["arrays"] if "offset" not in entry]
    if not body["arena"] or descriptor == NO_DESCRIPTOR:
        result = _run(reference, body, rebuild(body["arrays"], piped, nothing_shared))
        return _told_back(result, None, 0)
    memory = memoryview(mmap.mmap(descriptor, body["arena"]))  # unmapped with the last array that lies in it

    def shared(offset: int, size: int) -> Bytes:
        return memory[offset : offset + size].toreadonly()

    return _told_back(_run(reference, body, rebuild(body["arrays"], piped, shared)), memory, body["answers"])


def _run(reference: _Reference, body: Json, arrays: Mapping[str, Array]) -> _Result:
    try:
        with np.errstate(all="ignore"):
            return _OPERATIONS[body["operation"]](reference, body, arrays)
    except _BadResult as error:
        return _Result({"failed": str(error)}, {})
    except MemoryError:
        return _Result({"failed": f"{reference.path.name} ran out of memory"}, {})
    except BaseException as error:  # noqa: BLE001 - whatever a user's function raises is the answer, SystemExit too
        return _Result({"failed": _told(error, reference.path)}, {})


def _told_back(result: _Result, memory: memoryview | None, start: int) -> Answer:
    """Large arrays to the shared memory behind the question's, as far as there is room."""
    layout = lay_out(result.arrays, start, 0 if memory is None else memory.nbytes)
    for offset, array in layout.shared:
        assert memory is not None
        np.frombuffer(memory, array.dtype, array.size, offset).reshape(array.shape)[...] = array
    return Answer({**result.body, "arrays": layout.described}, [as_bytes(array) for array in layout.piped])


def _expected(reference: _Reference, body: Json, arrays: Mapping[str, Array]) -> _Result:
    known = {**body["dims"], **body["scalars"], **{name: _widened(array) for name, array in arrays.items()}}
    known |= {entry["name"]: _widened(_generated(entry)) for entry in body["generated"]}
    function = reference.function("reference")
    code = function.__code__
    takes_any = bool(code.co_flags & 0x08)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    result = function(**{name: value for name, value in known.items() if takes_any or name in names})
    outputs = body["outputs"]
    if not isinstance(result, dict):
        if len(outputs) != 1 or result is None:
            raise _BadResult(f"reference returned {type(result).__name__}; it must return a dict of {_listed(outputs)}")
        result = {outputs[0]: result}
    if set(result) != set(outputs):
        raise _BadResult(f"reference returned {_listed(result)}; it must return {_listed(outputs)}")
    return _Result({}, {name: _usable("reference", name, result[name]) for name in outputs})


def _make_inputs(reference: _Reference, body: Json, _: Mapping[str, Array]) -> _Result:
    generator = np.random.Generator(np.random.Philox(key=int(body["key"])))
    result = reference.function("make_inputs")(dict(body["dims"]), generator)
    if not isinstance(result, dict):
        raise _BadResult(
            f"make_inputs returned {type(result).__name__}; it must return a dict of {_listed(body['inputs'])}"
        )
    missing = [name for name in body["inputs"] if name not in result]
    if missing:
        raise _BadResult(f"make_inputs returned {_listed(result)}; {_listed(missing)} is missing")
    return _Result({}, {name: _usable("make_inputs", name, result[name]) for name in body["inputs"]})


def _compare(reference: _Reference, body: Json, arrays: Mapping[str, Array]) -> _Result:
    actual = {name.removeprefix("actual."): array for name, array in arrays.items() if name.startswith("actual.")}
    expected = {name.removeprefix("expected."): array for name, array in arrays.items() if name.startswith("expected.")}
    try:
        verdict = reference.function("compare")(actual, expected, body["case"])
    except AssertionError as error:
        return _Result({"accepted": False, "message": str(error) or "an assertion in compare failed"}, {})
    if isinstance(verdict, str):
        return _Result({"accepted": False, "message": verdict}, {})
    if not isinstance(verdict, bool | np.bool_):
        raise _BadResult(
            f"compare returned {verdict!r}; it must return True, or False or a text that says what is wrong"
        )
    return _Result({"accepted": bool(verdict), "message": "" if verdict else "compare returned False"}, {})


_OPERATIONS = {"expected": _expected, "make_inputs": _make_inputs, "compare": _compare}


def _generated(entry: Json) -> Array:
    """An input that its recipe makes: the parent sends no more than that."""
    shape = tuple(entry["shape"])
    recipe = Recipe(entry["kind"], entry["dtype"], entry["first"], entry["second"])
    return generate(recipe, int(entry["key"]), prod(shape)).reshape(shape)


def _widened(array: Array) -> Array:
    """Floats in float64, so that the truth has no rounding of its own; integers as they are."""
    is_float = element_type(array.dtype.name).is_float
    return array.astype(np.float64) if is_float else array.copy()


def _usable(function: str, name: str, value: object) -> Array:
    array = np.asarray(value)
    if array.dtype.name == "longdouble" or array.dtype.name.startswith("float128"):
        array = array.astype(np.float64)
    if array.dtype.name not in DTYPE_NAMES:
        raise _BadResult(f"{function} returned {name} of type {array.dtype}; it must be an array of numbers")
    native: Array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return native.reshape(array.shape)


def _told(error: BaseException, path: Path) -> str:
    """`reference.py:12: ValueError: ... (in: y = x @ w)`: the deepest line of the user's own file."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path.name]
    if isinstance(error, SyntaxError) and not frames:
        return f"{path.name}:{error.lineno}: {text}"
    if not frames or frames[-1].lineno is None:
        return f"{path.name}: {text}"
    number = frames[-1].lineno
    line = path.read_text(encoding="utf-8").splitlines()[number - 1].strip()
    return f"{path.name}:{number}: {text} (in: {line})"


def _listed(names: Any) -> str:
    return ", ".join(map(str, names)) or "nothing"


if __name__ == "__main__":
    main()
