"""Inputs and expected outputs of each (case, seed), kept so that attempts and tuning points share them."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType

from warpwright.physical_memory import physical_memory_bytes
from warpwright.units import GIB, MIB
from warpwright.verifier.prefetch import Prefetch
from warpwright.verifier.turns import Turns
from warpwright.workload.arguments import make_arguments, value_bytes
from warpwright.workload.model import Case, OracleKind, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.shapes import case_elements
from warpwright.workload.values import Array, CaseArguments, HostInputs

MOST_KEPT_BYTES = 64 * GIB
"""Kept at most, however much memory there is."""
PREFETCH_FROM_ELEMENTS = 1 << 20
"""Cases with fewer elements in all arrays are computed sooner than a thread is started."""
_KEPT_SHARE = 4
_UNKNOWN_KEPT_BYTES = 512 * MIB

_Key = tuple[str, tuple[tuple[str, int], ...], tuple[tuple[str, int | float], ...], int]


@dataclass(slots=True)
class _Entry:
    """What is known of one (case, seed). expected: None until somebody asked."""

    arguments: CaseArguments
    expected: Mapping[str, Array] | None = None

    def held_bytes(self) -> int:
        return self._output_bytes() + _inputs(self.arguments).held_bytes()

    def lasting_bytes(self) -> int:
        """Without inputs that a recipe makes again."""
        return self._output_bytes() + _inputs(self.arguments).given_bytes()

    def _output_bytes(self) -> int:
        return sum(array.nbytes for array in (self.expected or {}).values())


class HostValues:
    """A workload with its oracle. Safe for threads; arrays given out are not writable.

    kept_bytes: beyond it inputs are made again when they are needed, then expected outputs are computed again, the longest
    unused first; inputs that callers made again since the last new entry are not looked at yet. None: a quarter of this
    machine's memory, at most MOST_KEPT_BYTES.
    What one thread computes others wait for. After `prefetch`, `close` ends what is under way.
    """

    def __init__(self, workload: Workload, oracle: Oracle, kept_bytes: int | None = None) -> None:
        self.workload = workload
        self.oracle = oracle
        self.kept_bytes = default_kept_bytes() if kept_bytes is None else kept_bytes
        self._kept: OrderedDict[_Key, _Entry] = OrderedDict()
        self._lock = Lock()
        self._turns = Turns()
        self._prefetch = Prefetch(self._compute_ahead, oracle.workers)
        self._reserved_bytes = 0

    def arguments(self, case: Case, seed: int) -> CaseArguments:
        """What a kernel is called with. Raises: WorkloadError if `make_inputs` fails."""
        key = _key(case, seed)
        found = self._arguments(key)
        if found is not None:
            return found
        with self._turns.of(key):
            found = self._arguments(key)
            if found is not None:
                return found
            made = make_arguments(self.workload, case, seed, self.oracle)
            with self._lock:
                self._kept[key] = _Entry(made)
                self._trim()
            return made

    def expected(self, case: Case, arguments: CaseArguments) -> Mapping[str, Array]:
        """Every output by the oracle; computed once while the arguments are kept.

        arguments: from `arguments`, for this case. Raises: WorkloadError if `reference` fails.
        """
        with self._lock:
            entry = self._entry_of(case, arguments)
        if entry is None:
            return MappingProxyType(self.oracle.expected(case, arguments))
        if entry.expected is not None:
            return entry.expected
        with self._turns.of(id(entry)):
            if entry.expected is not None:
                return entry.expected
            computed = MappingProxyType(self.oracle.expected(case, arguments))
            with self._lock:
                entry.expected = computed
                self._trim()
            return computed

    def prefetch(self, case: Case, seeds: Iterable[int]) -> None:
        """Compute inputs and expected outputs in the background, in this order and behind what was wanted before.

        Only for large cases, and only what fits beside all that is kept. Errors are met by whoever asks for the values.
        """
        on_device = self.workload.oracle is OracleKind.KERNEL  # a device is not for two threads
        if not on_device and case_elements(self.workload, case) >= PREFETCH_FROM_ELEMENTS:
            self._prefetch.add([(case, seed) for seed in seeds])

    def close(self) -> None:
        """End the oracle and, with it, what is computed in the background."""
        self._prefetch.stop()
        self.oracle.close()
        self._prefetch.join()

    def held_bytes(self) -> int:
        """Bytes of the arrays that are kept now."""
        with self._lock:
            return self._held_bytes()

    def _compute_ahead(self, wanted: tuple[Case, int]) -> None:
        case, seed = wanted
        size = value_bytes(self.workload, case)
        with self._lock:
            entry = self._kept.get(_key(case, seed))
            lasting_bytes = sum(kept.lasting_bytes() for kept in self._kept.values())
            fits = lasting_bytes + self._reserved_bytes + size <= self.kept_bytes
            if not fits or (entry is not None and entry.expected is not None):
                return
            self._reserved_bytes += size
        try:
            self.expected(case, self.arguments(case, seed))
        finally:
            with self._lock:
                self._reserved_bytes -= size

    def _arguments(self, key: _Key) -> CaseArguments | None:
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found.arguments

    def _held_bytes(self) -> int:
        return sum(entry.held_bytes() for entry in self._kept.values())

    def _entry_of(self, case: Case, arguments: CaseArguments) -> _Entry | None:
        """By identity: equal names and seeds say nothing of arrays that somebody replaced."""
        name, dims, scalars, _ = _key(case, 0)
        for key, entry in self._kept.items():
            if entry.arguments is arguments and key[:3] == (name, dims, scalars):
                self._kept.move_to_end(key)
                return entry
        return None

    def _trim(self) -> None:
        """Inputs with a recipe cost milliseconds, so they go first; whole entries only if that is not enough."""
        excess = self._held_bytes() - self.kept_bytes
        for entry in self._kept.values():
            if excess <= 0:
                return
            before = entry.held_bytes()
            _inputs(entry.arguments).forget_generated()
            excess -= before - entry.held_bytes()
        while excess > 0 and self._kept:
            _, oldest = self._kept.popitem(last=False)
            excess -= oldest.held_bytes()


def default_kept_bytes() -> int:
    """A quarter of the memory here, at most MOST_KEPT_BYTES."""
    total = physical_memory_bytes()
    return _UNKNOWN_KEPT_BYTES if total is None else min(total // _KEPT_SHARE, MOST_KEPT_BYTES)


def _key(case: Case, seed: int) -> _Key:
    return (case.name, tuple(sorted(case.dims.items())), tuple(sorted(case.scalars.items())), seed)


def _inputs(arguments: CaseArguments) -> HostInputs:
    assert isinstance(arguments.inputs, HostInputs)  # `make_arguments` gives no other
    return arguments.inputs
