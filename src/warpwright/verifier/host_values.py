"""Inputs and expected outputs of each (case, seed), kept so that attempts and tuning points share them."""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

from warpwright.units import MIB
from warpwright.workload.arguments import make_arguments
from warpwright.workload.model import Case, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array, CaseArguments

KEPT_BYTES = 256 * MIB
"""Inputs beyond this are drawn again when they are needed; the oracle has a limit of its own."""

_Key = tuple[str, tuple[tuple[str, int], ...], tuple[tuple[str, int | float], ...], int]


class HostValues:
    """A workload with its oracle. Safe for threads; arrays given out are not writable."""

    def __init__(self, workload: Workload, oracle: Oracle, kept_bytes: int = KEPT_BYTES) -> None:
        self.workload = workload
        self.oracle = oracle
        self._kept: OrderedDict[_Key, CaseArguments] = OrderedDict()
        self._kept_bytes = kept_bytes
        self._lock = Lock()

    def arguments(self, case: Case, seed: int) -> CaseArguments:
        """What a kernel is called with. Raises: WorkloadError if `make_inputs` fails."""
        key = (case.name, tuple(sorted(case.dims.items())), tuple(sorted(case.scalars.items())), seed)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = make_arguments(self.workload, case, seed, self.oracle)
        for array in made.inputs.values():
            array.setflags(write=False)
        with self._lock:
            self._kept[key] = made
            while sum(map(_size, self._kept.values())) > self._kept_bytes:
                self._kept.popitem(last=False)
        return made

    def expected(self, case: Case, arguments: CaseArguments) -> Mapping[str, Array]:
        """Every output by the oracle. Raises: WorkloadError if `reference` fails."""
        return self.oracle.expected(case, arguments)


def _size(arguments: CaseArguments) -> int:
    return sum(array.nbytes for array in arguments.inputs.values())
