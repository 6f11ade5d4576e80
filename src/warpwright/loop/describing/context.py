"""What the nodes work with and the state must not hold."""

from collections.abc import Callable
from dataclasses import dataclass

from warpwright.evaluation.bench import BenchOptions
from warpwright.loop.describing.draft import Draft
from warpwright.proposer.conversation import ModelClient, Usage

PriceOf = Callable[[str, Usage], float | None]


@dataclass(frozen=True, slots=True)
class DescribeContext:
    """author, second: who writes; None where every file of theirs is the person's own. price: dollars of a reply, or unknown.

    approved: the person said yes beforehand (`--yes`). say: tells the person who watches.
    """

    draft: Draft
    author: ModelClient | None
    second: ModelClient | None
    bench: BenchOptions
    approved: bool
    say: Callable[[str], None]
    price: PriceOf
