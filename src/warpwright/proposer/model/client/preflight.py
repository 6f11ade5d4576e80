"""One tiny request before anything else is spent."""

from warpwright.proposer.conversation import Message, ModelClient, ModelFault, Role, ToolSpec
from warpwright.proposer.model.client.replay import ReplayClient

_QUESTION = Message(Role.USER, "Answer with the word ready.")
_PROBE = ToolSpec("ready", "Says nothing; do not call it.", {"type": "object", "properties": {}})


def preflight(client: ModelClient) -> ModelFault | None:
    """Whether a model can be used: None, or why not. It may cost a few hundred tokens; a replay loses no reply to it.

    Offers a look-up if the client takes any, so that `client.takes_tools` is right afterwards. Any reply will do.
    """
    if isinstance(client, ReplayClient):
        return None
    outcome = client.ask((_QUESTION,), (_PROBE,) if client.takes_tools else ())
    return outcome if isinstance(outcome, ModelFault) else None
