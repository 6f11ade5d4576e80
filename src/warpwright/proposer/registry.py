"""Proposers by the words of `--model`."""

from warpwright.errors import UsageError
from warpwright.proposer.protocol import Proposer
from warpwright.proposer.strategist import Strategist


def open_proposer(name: str) -> Proposer:
    """`builtin`: moves and tuner. `tuner`: the tuner alone. Raises: UsageError for anything else."""
    if name == "builtin":
        return Strategist()
    if name == "tuner":
        return Strategist(moves=())
    raise UsageError(f"--model {name}: this version has no such proposer. Use builtin (moves and tuner) or tuner.")
