"""The oracle as the rest of Warpwright sees it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from math import prod
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

from warpwright.errors import InfrastructureError, WorkloadError
from warpwright.isolation.process import Ended, WorkerEnded
from warpwright.units import GIB
from warpwright.workload.arguments import random_key
from warpwright.workload.comparison.scales import draw_scales
from warpwright.workload.dtypes import element_type
from warpwright.workload.form.reference_file import REFERENCE_FILE, read_functions
from warpwright.workload.model import ArrayParameter, Case, OracleKind, Workload
from warpwright.workload.oracle.arrays import SHARED_FROM_BYTES
from warpwright.workload.oracle.cache import ExpectedCache, content_key
from warpwright.workload.oracle.channel import Answered, BadAnswer, Channel, Question
from warpwright.workload.oracle.results import as_expected, as_input
from warpwright.workload.oracle.verdict import CustomVerdict
from warpwright.workload.oracle.workers import Workers
from warpwright.workload.shapes import shape_of
from warpwright.workload.values import Array, CaseArguments

RunKernel = Callable[[Case, CaseArguments], Mapping[str, Array]]
_WORKER = "warpwright.workload.oracle.worker"
_MEMORY_BYTES = 32 * GIB  # a runaway allocation ends the oracle, not the machine
_WIDEST_BYTES = 8
"""Of one element of an answer."""
_COPIES = 4
"""How often a call has all arrays of a case in float64 at a time: as intermediate values, results, and on their way."""


class Oracle:
    """Expected outputs, `make_inputs` and `compare` of one workload. Use as a context manager; safe for threads.

    Functions run in processes of their own, several at a time if several threads ask.
    time_limit_s: of one call of a user's function; then its process is killed.
    cache_directory: keeps expected outputs between sessions.
    run_kernel: runs the initial kernel; needed where the workload says `[oracle] kind = "kernel"`.
    """

    def __init__(
        self,
        workload: Workload,
        *,
        time_limit_s: float = 120.0,
        cache_directory: Path | None = None,
        run_kernel: RunKernel | None = None,
    ) -> None:
        self.workload = workload
        self._time_limit_s = time_limit_s
        self._run_kernel = run_kernel
        self._cache = ExpectedCache(cache_directory)
        self._scales: dict[object, Mapping[str, float]] = {}
        self._scaling = Lock()
        self._file = workload.directory / REFERENCE_FILE
        functions = read_functions(self._file) if REFERENCE_FILE in workload.files else {}
        self.compares = "compare" in functions
        """True if the workload brings its own `compare`."""
        directory = workload.directory.resolve()
        arguments = (str(directory / REFERENCE_FILE), str(_MEMORY_BYTES))
        self._workers = Workers(lambda: Channel(_WORKER, arguments, directory))
        self._source_hash = hashlib.sha256(self._file.read_bytes()).hexdigest() if functions else ""

    @property
    def confined(self) -> bool:
        """True if the platform keeps the process from files outside the interpreter's and the workload's folders."""
        with self._workers.one(0) as channel:
            return bool(channel.greeting()["confined"])

    @property
    def workers(self) -> int:
        """How many calls can run at a time; large cases may be held to fewer by the memory they need."""
        return self._workers.most

    def expected(self, case: Case, arguments: CaseArguments) -> dict[str, Array]:
        """Every output by name: floats in float64, integers in the dtype of their parameter; not writable.

        Raises: WorkloadError if `reference` raises, does not end, or returns something else than the outputs.
        """
        question = {
            "operation": "expected",
            "dims": dict(case.dims),
            "scalars": {name: _plain(value) for name, value in arguments.scalars.items()},
            "outputs": [output.name for output in self.workload.outputs],
        }
        identity = {**question, "source": self._source_hash or self.workload.content_hash}
        key = content_key(identity, arguments)
        kept = self._cache.get(key)
        if kept is None:
            kept = self._computed(case, arguments, question)
            self._cache.put(key, kept)
        return dict(kept)

    def make_inputs(self, case: Case, seed: int) -> dict[str, Array]:
        """The inputs without `values`, in their dtype. Raises: WorkloadError, as `expected`."""
        wanted = [array for array in self.workload.inputs if array.values is None]
        key = random_key(case, seed, "make_inputs")
        names = [array.name for array in wanted]
        body = {"operation": "make_inputs", "dims": dict(case.dims), "key": str(key), "inputs": names}
        made = self._call(case, Question(body, {}, _widest(case, wanted))).arrays
        return {
            array.name: self._in_file(as_input, array, self._one(made, array), shape_of(array, case.dims))
            for array in wanted
        }

    def compare(self, case: Case, actual: Mapping[str, Array], expected: Mapping[str, Array]) -> CustomVerdict:
        """What the workload's own `compare` says. Raises: WorkloadError if it fails or gives no verdict."""
        described = {
            "name": case.name,
            "kind": case.kind.value,
            "dims": dict(case.dims),
            "seed": case.seed,
            "scalars": dict(case.scalars),
        }
        arrays = {f"actual.{name}": array for name, array in actual.items()}
        arrays |= {f"expected.{name}": array for name, array in expected.items()}
        body = self._call(case, Question({"operation": "compare", "case": described}, arrays)).body
        return CustomVerdict(bool(body["accepted"]), str(body["message"]))

    def scales(self, case: Case) -> Mapping[str, float]:
        """Typical size of the elements of each output that is too small to show it (`scales.py`), found once for each case.

        Raises: WorkloadError, as `expected`.
        """
        if self.compares:
            return {}
        key = case.name, tuple(sorted(case.dims.items())), tuple(sorted(case.scalars.items())), case.seed
        with self._scaling:  # large inputs are not made twice because two threads ask
            if key not in self._scales:
                self._scales[key] = draw_scales(self.workload, case, self)
            return self._scales[key]

    def close(self) -> None:
        """End the processes, also those that work; calls under way and later ones raise InfrastructureError."""
        self._workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _computed(self, case: Case, arguments: CaseArguments, question: dict[str, Any]) -> dict[str, Array]:
        if self.workload.oracle is OracleKind.KERNEL:
            if self._run_kernel is None:
                raise WorkloadError(
                    f'{self.workload.directory}: [oracle] kind = "kernel" needs a device to run the initial kernel on'
                )
            results = dict(self._run_kernel(case, arguments))
        else:
            results = self._call(case, self._question(case, arguments, question)).arrays
        shapes = arguments.shapes
        return {
            output.name: self._in_file(as_expected, output, self._one(results, output), shapes[output.name])
            for output in self.workload.outputs
        }

    def _question(self, case: Case, arguments: CaseArguments, body: dict[str, Any]) -> Question:
        """Large inputs with a recipe are made in the process: their keys are all that it needs."""
        large = {
            name: generated
            for name, generated in arguments.generated.items()
            if prod(arguments.shapes[name]) * element_type(generated.recipe.dtype).size_bytes >= SHARED_FROM_BYTES
        }
        described = [
            {"name": name, **asdict(source.recipe), "key": str(source.key), "shape": arguments.shapes[name]}
            for name, source in large.items()
        ]
        sent = {name: arguments.inputs[name] for name in arguments.inputs if name not in large}
        return Question({**body, "generated": described}, sent, _widest(case, self.workload.outputs))

    def _call(self, case: Case, question: Question) -> Answered:
        where = f"{self._file}: case {case.name}"
        needed_bytes = _COPIES * sum(_widest(case, self.workload.arrays))
        try:
            with self._workers.one(needed_bytes) as channel:
                answered = channel.call(question, self._time_limit_s)
        except BadAnswer as error:
            raise WorkloadError(
                f"{self._file}: its process answered with something else than arrays: {error}"
            ) from error
        except WorkerEnded as ended:
            if self._workers.closed:
                raise InfrastructureError(f"{where}: the oracle was closed while it worked") from None
            if ended.how is Ended.TIMEOUT:
                raise WorkloadError(
                    f"{where}: {_FUNCTIONS[question.body['operation']]} did not end within {self._time_limit_s:g} s"
                ) from None
            words = ended.stderr.strip() or "it said nothing"
            raise WorkloadError(f"{where}: its process ended with exit code {ended.exit_code}: {words}") from None
        if "failed" in answered.body:
            raise WorkloadError(f"{where}: {answered.body['failed']}")
        return answered

    def _one(self, arrays: Mapping[str, Array], parameter: ArrayParameter) -> Array:
        if parameter.name not in arrays:
            raise WorkloadError(f"{self._file}: its process answered without {parameter.name}")
        return arrays[parameter.name]

    def _in_file[P](
        self, convert: Callable[[P, Array, tuple[int, ...]], Array], parameter: P, array: Array, shape: tuple[int, ...]
    ) -> Array:
        try:
            return convert(parameter, array, shape)
        except ValueError as error:
            raise WorkloadError(f"{self._file}: {error}") from None


_FUNCTIONS = {"expected": "reference", "make_inputs": "make_inputs", "compare": "compare"}


def _widest(case: Case, arrays: Sequence[ArrayParameter]) -> list[int]:
    """Bytes of each array if its elements are as wide as any."""
    return [_WIDEST_BYTES * prod(shape_of(array, case.dims)) for array in arrays]


def _plain(value: Any) -> int | float | bool:
    plain = value.item() if hasattr(value, "item") else value
    return plain if isinstance(plain, int | float) else float(plain)
