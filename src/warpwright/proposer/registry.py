"""Proposers by the words of `--model`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warpwright.candidate.candidate import Candidate
from warpwright.errors import UsageError
from warpwright.knowledge.documents.library import Library
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.prices import Price
from warpwright.proposer.protocol import Proposer
from warpwright.proposer.strategist import Strategist
from warpwright.proposer.strategist.undirected import Undirected
from warpwright.record.options import names_model

if TYPE_CHECKING:
    from warpwright.proposer.model.costs import Costs
    from warpwright.proposer.model.proposer import ModelProposer


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What a model is opened with and may draw on. prices: of the user, before ours. library: indexed documents.

    compile_check: what the compiler says of a candidate; None = it cannot be asked.
    """

    options: ModelOptions = field(default_factory=ModelOptions)
    prices: tuple[Price, ...] = ()
    library: Library | None = None
    compile_check: Callable[[Candidate], str] | None = None

    @property
    def costs(self) -> "Costs":
        """Reckons what requests take."""
        from warpwright.proposer.model.costs import Costs

        return Costs(self.prices, self.options.max_output_tokens)


REPLAY = "replay:"
"""How the words begin that name recorded replies."""
_NO_SETTINGS = ModelSettings()


def open_proposer(name: str, settings: ModelSettings = _NO_SETTINGS) -> Proposer:
    """`builtin`: moves and tuner, led by the diagnosis. `tuner`: the tuner alone. `undirected`: moves at random, as a baseline.
    `PROVIDER:NAME`: a chat model, with `builtin` behind it. `replay:SESSION`: the replies recorded in a session directory.

    Raises: UsageError for anything else; ModelUnavailable if the model's package or key is missing. Nothing is sent.
    """
    if name == "builtin":
        return Strategist()
    if name == "tuner":
        return Strategist(moves=())
    if name == "undirected":
        return Undirected()
    if names_model(name):
        return _open_model(name, settings)
    raise UsageError(
        f"--model {name}: there is no such proposer. Use builtin (moves and tuner), tuner, undirected (moves at random, as a "
        "baseline), PROVIDER:NAME (a chat model, such as openai:gpt-5), or replay:SESSION (recorded replies)."
    )


def _open_model(name: str, settings: ModelSettings) -> "ModelProposer":
    from warpwright.proposer.model.client.opening import open_model
    from warpwright.proposer.model.proposer import ModelAids, ModelProposer

    client = open_model(name, settings.options)
    return ModelProposer(client, Strategist(), ModelAids(settings.library, settings.compile_check, settings.costs))
