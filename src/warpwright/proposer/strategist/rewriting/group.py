"""A group of threads that shares the work of one: the lanes of a warp, or a block."""

from dataclasses import dataclass

from warpwright.candidate.analysis.accumulate import Accumulation, Operation
from warpwright.candidate.analysis.kernel import KernelModel
from warpwright.proposer.strategist.snippets import snippet

SHUFFLED_TYPES = frozenset(
    {"float", "double", "int", "unsigned", "unsigned int", "long long", "unsigned long long", "long", "unsigned long",
     "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "long long int"}
)  # fmt: skip
"""Types that `__shfl_xor_sync` moves."""


@dataclass(frozen=True, slots=True)
class Group:
    """lane: C name of a thread's place in the group. size: C expression for the threads in it. row: the group's number.

    wait: statement after which every thread sees what the others wrote. template: the reduction's snippet.
    """

    lane: str
    size: str
    row: str
    place: str
    wait: str
    template: str
    prefix: str

    def reduction(self, kernel: KernelModel, accumulation: Accumulation) -> tuple[str, str]:
        """Name and text of the device function that combines an accumulation over the group."""
        name = kernel.fresh(f"{self.prefix}_{accumulation.operation.value}")
        return name, snippet(self.template, name=name, lanes=self.size, combine=accumulation.combine)


def partial_start(accumulation: Accumulation) -> str:
    """What a thread's own part begins with: the identity, or the value so far where twice does no harm."""
    identity = accumulation.operation.identity
    return accumulation.name if accumulation.operation.idempotent or identity is None else identity


def combined(accumulation: Accumulation, reduced: str) -> str:
    """The statement that puts the reduced parts into the accumulator."""
    sign = {Operation.SUM: "+=", Operation.PRODUCT: "*=", Operation.XOR: "^="}.get(accumulation.operation, "=")
    return f"{accumulation.name} {sign} {reduced};"
