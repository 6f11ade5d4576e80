"""Drives the graph over one session: checkpoints, Ctrl-C, resume."""

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import FrameType

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import GraphDrained, GraphRecursionError
from langgraph.runtime import RunControl

from warpwright.errors import Interrupted, RecordError
from warpwright.loop.context import LoopContext
from warpwright.loop.graph import build
from warpwright.loop.state import GRAPH_VERSION, LoopState
from warpwright.record.event import Event

STEPS_PER_ATTEMPT = 8
UNCAPPED_ATTEMPTS = 2000


def run_session(context: LoopContext) -> LoopState:
    """Run a session from where it stands to its end; the final state.

    Raises: Interrupted after Ctrl-C (resumable); RecordError if the session belongs to another graph version.
    """
    session = context.session
    if session.graph_version != GRAPH_VERSION:
        raise RecordError(
            f"{session.directory}: made by graph version {session.graph_version}; this Warpwright runs version "
            f"{GRAPH_VERSION}. Use `warpwright show` to read it, or the version that made it to go on."
        )
    with closing(_connect(context)) as connection:
        saver = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        compiled = build().compile(checkpointer=saver)
        config = _config(context)
        started = compiled.get_state(config).values
        first: LoopState | None = None if started else {"session": str(session.directory)}
        control = RunControl()
        with _interruptible(context, control):
            try:
                # v1 of invoke returns the plain state
                result = compiled.invoke(first, config, context=context, durability="sync", control=control)
            except GraphDrained:
                raise Interrupted(f"stopped; go on with: warpwright resume {session.directory}") from None
            except GraphRecursionError:
                raise Interrupted(f"step limit reached; go on with: warpwright resume {session.directory}") from None
    final: LoopState = {**result}  # type: ignore[typeddict-item] # invoke is typed as a plain dict
    return final


def _connect(context: LoopContext) -> sqlite3.Connection:
    path = context.session.directory / "checkpoints.sqlite"
    try:
        connection = sqlite3.connect(path, check_same_thread=False)
        connection.execute("pragma schema_version").fetchone()
        # A kill loses nothing; a power cut may set the cursor back, and nodes find what is done in the session directory.
        connection.execute("pragma synchronous = normal")
    except sqlite3.DatabaseError as error:
        raise RecordError(f"{path}: not a readable checkpoint database ({error}); the attempts are unharmed") from error
    return connection


def _config(context: LoopContext) -> RunnableConfig:
    attempts = context.budget.attempts or UNCAPPED_ATTEMPTS
    limit = 20 + STEPS_PER_ATTEMPT * attempts * (1 + context.budget.max_repairs)
    return {
        "configurable": {"thread_id": "session"},
        "recursion_limit": limit,
        "max_concurrency": context.concurrency,
    }


@contextmanager
def _interruptible(context: LoopContext, control: RunControl) -> Iterator[None]:
    """First Ctrl-C or SIGTERM: stop at the next safe point. Second: end the workers and stop now."""

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        if context.stopping.is_set():
            context.bench.close()
            raise KeyboardInterrupt
        context.stopping.set()
        control.request_drain("interrupted")
        context.session.emit(Event("note", text="stopping after the running step; once more to stop at once"))

    previous = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
