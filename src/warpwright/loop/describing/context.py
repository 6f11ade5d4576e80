"""What the nodes work with and the state must not hold."""

from collections.abc import Callable
from dataclasses import dataclass

from warpwright.evaluation.bench import BenchOptions
from warpwright.loop.describing.draft import Draft
from warpwright.proposer.conversation import ModelClient
from warpwright.proposer.model.costs import Costs


@dataclass(frozen=True, slots=True)
class DescribeContext:
    """author, second: who writes; None where every file of theirs is the person's own. costs: reckons requests.

    approved: the person said yes beforehand (`--yes`), as the record keeps it. say: tells the person who watches.
    """

    draft: Draft
    author: ModelClient | None
    second: ModelClient | None
    bench: BenchOptions
    approved: bool
    say: Callable[[str], None]
    costs: Costs
