"""The oracle as the rest of Warpwright sees it."""

import hashlib
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from warpwright.errors import WorkloadError
from warpwright.isolation.process import Ended, Reply, WorkerEnded, WorkerProcess
from warpwright.workload.arguments import random_key
from warpwright.workload.form.reference_file import REFERENCE_FILE, read_functions
from warpwright.workload.model import Case, OracleKind, Workload
from warpwright.workload.oracle.arrays import as_buffers, describe, rebuild
from warpwright.workload.oracle.cache import ExpectedCache, content_key
from warpwright.workload.oracle.results import as_expected, as_input
from warpwright.workload.oracle.verdict import CustomVerdict
from warpwright.workload.shapes import shape_of
from warpwright.workload.values import Array, CaseArguments

RunKernel = Callable[[Case, CaseArguments], Mapping[str, Array]]
_WORKER = "warpwright.workload.oracle.worker"
_MEMORY_BYTES = 32 * 1024**3  # a runaway allocation ends the oracle, not the machine


class Oracle:
    """Expected outputs, `make_inputs` and `compare` of one workload. Use as a context manager; safe for threads.

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
        self._lock = threading.Lock()
        self._cache = ExpectedCache(cache_directory)
        self._file = workload.directory / REFERENCE_FILE
        functions = read_functions(self._file) if REFERENCE_FILE in workload.files else {}
        self.compares = "compare" in functions
        """True if the workload brings its own `compare`."""
        directory = workload.directory.resolve()
        arguments = (str(directory / REFERENCE_FILE), str(_MEMORY_BYTES))
        self._worker = WorkerProcess(_WORKER, arguments, directory)
        self._source_hash = hashlib.sha256(self._file.read_bytes()).hexdigest() if functions else ""

    @property
    def confined(self) -> bool:
        """True if the platform keeps the process from files outside the interpreter's and the workload's folders."""
        with self._lock:
            self._worker.start()
            return bool(self._worker.greeting["confined"])

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
        made = self._arrays(self._call(case, body, {}))
        return {
            array.name: self._in_file(as_input, array, made[array.name], shape_of(array, case.dims)) for array in wanted
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
        body = self._call(case, {"operation": "compare", "case": described}, arrays).body
        return CustomVerdict(bool(body["accepted"]), str(body["message"]))

    def close(self) -> None:
        """End the process; a later call starts a new one."""
        with self._lock:
            self._worker.discard()

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
            results = self._arrays(self._call(case, question, arguments.inputs))
        shapes = arguments.shapes
        return {
            output.name: self._in_file(as_expected, output, results[output.name], shapes[output.name])
            for output in self.workload.outputs
        }

    def _call(self, case: Case, body: dict[str, Any], arrays: Mapping[str, Array]) -> Reply:
        message = {**body, "arrays": describe(arrays)}
        where = f"{self._file}: case {case.name}"
        try:
            with self._lock:
                reply = self._worker.call(message, as_buffers(arrays), time_limit_s=self._time_limit_s)
        except WorkerEnded as ended:
            if ended.how is Ended.TIMEOUT:
                raise WorkloadError(
                    f"{where}: {_FUNCTIONS[body['operation']]} did not end within {self._time_limit_s:g} s"
                ) from None
            words = ended.stderr.strip() or "it said nothing"
            raise WorkloadError(f"{where}: its process ended with exit code {ended.exit_code}: {words}") from None
        if "failed" in reply.body:
            raise WorkloadError(f"{where}: {reply.body['failed']}")
        return reply

    def _arrays(self, reply: Reply) -> dict[str, Array]:
        try:
            return rebuild(reply.body["arrays"], reply.buffers)
        except (ValueError, KeyError, TypeError) as error:
            raise WorkloadError(
                f"{self._file}: its process answered with something else than arrays: {error}"
            ) from error

    def _in_file[P](
        self, convert: Callable[[P, Array, tuple[int, ...]], Array], parameter: P, array: Array, shape: tuple[int, ...]
    ) -> Array:
        try:
            return convert(parameter, array, shape)
        except ValueError as error:
            raise WorkloadError(f"{self._file}: {error}") from None


_FUNCTIONS = {"expected": "reference", "make_inputs": "make_inputs", "compare": "compare"}


def _plain(value: Any) -> int | float | bool:
    plain = value.item() if hasattr(value, "item") else value
    return plain if isinstance(plain, int | float) else float(plain)
