"""Drives the graph over one draft: checkpoints, the wait for a person, resume."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from warpwright.errors import WorkloadError
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.draft import Draft
from warpwright.loop.describing.graph import build
from warpwright.loop.describing.state import DescribeState
from warpwright.record.files import remove_partial
from warpwright.record.lock import SessionLock
from warpwright.workload.approval import APPROVAL_FILE

_STEPS = 60
"""More than any way through the graph has: each writer is asked three times at most."""
Decide = Callable[[Draft], bool]
"""Shows a person what was found and returns the answer; False leaves the draft waiting."""


@dataclass(frozen=True, slots=True)
class Described:
    """directory: of the workload; None while nobody has approved it. draft: where it waits otherwise."""

    directory: Path | None
    draft: Path


def describe(context: DescribeContext, decide: Decide) -> Described:
    """From where the draft stands to a workload, or to a person's no.

    Raises: WorkloadError with the reason if what was written is refused; ModelUnavailable; both leave the draft.
    """
    draft = context.draft
    lock = SessionLock(draft.directory / "lock")
    try:
        remove_partial(draft.files)
        approved = _run(context, decide)
    finally:
        lock.release()
    if approved:
        shutil.rmtree(draft.directory)
    return Described(draft.target if approved else None, draft.directory)


def _run(context: DescribeContext, decide: Decide) -> bool:
    draft = context.draft
    with closing(sqlite3.connect(draft.directory / "checkpoints.sqlite", check_same_thread=False)) as connection:
        saver = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        graph = build().compile(checkpointer=saver)

        def go(given: Any) -> dict[str, Any]:
            config: RunnableConfig = {"configurable": {"thread_id": str(draft.thread)}, "recursion_limit": _STEPS}
            return dict(graph.invoke(given, config, context=context, durability="sync"))

        state = graph.get_state({"configurable": {"thread_id": str(draft.thread)}})
        # Not `next`: that is empty between what a step gives and the checkpoint behind it.
        unfinished = bool(state.tasks)
        if state.values and not unfinished and (draft.target / APPROVAL_FILE).exists():
            return True  # killed between the last step and here
        final = go(_first(draft, state.values, unfinished))
        if "__interrupt__" in final:
            if not decide(draft):
                return False
            final = go(Command(resume="approved"))
    if "reason" in final:
        raise WorkloadError(f"{draft.target}: refused, nothing was written there: {final['reason']}\n{_advice(draft)}")
    return True


def _advice(draft: Draft) -> str:
    """What a person can do about a refusal."""
    if draft.digests():
        return (
            f"The draft is in {draft.directory}; correct its files yourself and go on with: "
            f"warpwright new {draft.target} --resume"
        )
    return (
        f"No file was written, so there is nothing to correct: say it in other words in a new directory, or let another model "
        f"write: warpwright new {draft.target} --resume --model PROVIDER:NAME"
    )


def _first(draft: Draft, values: dict[str, Any], unfinished: bool) -> DescribeState | None:
    """What the graph begins with; None to go on. Files that a person edited are examined anew, and stay as they are."""
    edited = draft.edited()
    if not values:
        if edited:
            draft.take_over(edited)
        return {"next": draft.begins_with}
    if unfinished and not edited:
        return None
    draft.begin_again(edited)
    return {"next": draft.begins_with}
