"""Proposers by the words of `--model`."""

from warpwright.errors import UsageError
from warpwright.proposer.protocol import Proposer
from warpwright.proposer.strategist import Strategist
from warpwright.proposer.strategist.undirected import Undirected


def open_proposer(name: str) -> Proposer:
    """`builtin`: moves and tuner, led by the diagnosis. `tuner`: the tuner alone. `undirected`: moves at random, as a baseline.

    Raises: UsageError for anything else.
    """
    if name == "builtin":
        return Strategist()
    if name == "tuner":
        return Strategist(moves=())
    if name == "undirected":
        return Undirected()
    raise UsageError(
        f"--model {name}: this version has no such proposer. Use builtin (moves and tuner), tuner, or undirected (moves at "
        "random, as a baseline)."
    )
