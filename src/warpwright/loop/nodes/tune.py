"""Tunables and launch configurations of the incumbent, or of what came close, are searched; each point is on disk at once."""

from langgraph.runtime import Runtime

from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.state import LoopState
from warpwright.loop.tuning import attempt_to_tune, search_points


def tune(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Search until the tuner is done or time is up; stopped by the user, come back here on resume."""
    context = context_of(runtime, state)
    number = attempt_to_tune(context.session)
    if number is not None:
        search_points(context, number)
    return {"next": "tune" if context.stopping.is_set() else "diagnose"}
