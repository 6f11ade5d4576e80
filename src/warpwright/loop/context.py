"""What the nodes work with and the state must not hold: session, evaluator, proposer, budget, the wish to stop."""

import os
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from langgraph.runtime import Runtime

from warpwright.evaluation.bench import Bench, BenchOptions, open_bench
from warpwright.evaluation.outcome import Evaluation
from warpwright.evaluation.profiling import ProfileOptions
from warpwright.knowledge.documents.library import Library
from warpwright.loop.beam.ahead import Ahead
from warpwright.loop.budget import Budget
from warpwright.loop.history import SessionHistory
from warpwright.loop.model.compile_check import compile_check
from warpwright.loop.model.going_on import history_of, settings_of
from warpwright.loop.model.settling import settle
from warpwright.loop.notebook import SessionNotebook
from warpwright.loop.secret import session_secret
from warpwright.loop.state import LoopState
from warpwright.proposer.protocol import Proposer, SearchState
from warpwright.proposer.registry import ModelSettings, open_proposer
from warpwright.record.event import LedgerKind
from warpwright.record.ledger.spending import device_stages_s
from warpwright.record.session import Session

PATIENCE = 12
"""Attempts without a new incumbent before the built-in search ends."""


@dataclass(slots=True)
class LoopContext:
    """One open session with everything that works on it. stopping: set by Ctrl-C; long nodes return early when it is.

    documents: indexed ones of this machine; None = citations lead to NVIDIA's public pages. profiling: how ncu is run.
    history: what other sessions taught; None = neither read nor written. ahead: candidates that were examined before their
    turn. concurrency: how many are examined at a time.
    """

    session: Session
    bench: Bench
    proposer: Proposer
    budget: Budget
    stopping: threading.Event = field(default_factory=threading.Event)
    documents: Library | None = None
    profiling: ProfileOptions = field(default_factory=ProfileOptions)
    history: SessionHistory | None = None
    ahead: Ahead = field(default_factory=Ahead)
    concurrency: int = 1

    def search_state(self) -> SearchState:
        """The record so far, as a proposer sees it."""
        session = self.session
        attempts = session.attempts()
        numbers = [attempt.number for attempt in attempts]
        return SearchState(
            workload=session.workload,
            gpu=self.bench.device.spec,
            attempts=attempts,
            incumbent=session.incumbent(),
            tuned={n: points for n in numbers if (points := session.tuning(n))},
            seed=session.options.seed,
            diagnoses={n: found for n in numbers if (found := session.diagnosis(n)) is not None},
            guidance={n: advised for n in numbers if (advised := session.guidance(n)) is not None},
            profiles={n: counted for n in numbers if (counted := session.profiles(n))},
            hints={n: told for n in numbers if (told := self._hints(n))},
            begun=session.pending(),
        )

    def notebook(self, number: int | None = None) -> SessionNotebook:
        """Where the proposer of an attempt writes down what it spends. number: None = of the attempt that is begun next."""
        return SessionNotebook(self.session, self.budget, number or self.session.next_number)

    def charge(self, kind: LedgerKind, number: int, seconds: float, evaluation: Evaluation | None = None) -> None:
        """Charge an attempt with wall seconds, and on a GPU with those in which it was held.

        evaluation: held while it verified and timed; None = all the time.
        """
        held_s = seconds if evaluation is None else device_stages_s(evaluation)
        self.session.charge(kind, number, seconds, held_s if self.bench.evaluator.measures else None)

    def recall(self, path: Path | None) -> None:
        """Read the history across sessions, and add to it at the end. path: its file, None = do neither."""
        measured = self.bench.evaluator.measures
        path = history_of(self.session, path)
        self.history = SessionHistory(self.session, path, self.bench.device.spec.arch, measured=measured)

    def _hints(self, number: int) -> tuple[str, ...]:
        diagnosis = self.session.diagnosis(number)
        return () if self.history is None else self.history.hints(None if diagnosis is None else diagnosis.bottleneck)

    def close(self) -> None:
        """End workers and release the session's lock."""
        self.bench.close()
        if self.documents is not None:
            self.documents.close()
        self.session.close()


def open_context(
    session: Session, options: BenchOptions, documents: Path | None = None, model: ModelSettings | None = None
) -> LoopContext:
    """Device, compiler, oracle and proposer for a session. documents: folder with an index, as `warpwright docs` keeps it.
    model: this user's key and prices.

    Raises: UnavailableError if one of them is not here; what is not indexed only shortens the list of citations.
    """
    settle(session)
    chosen = session.options
    library = None if documents is None else Library(documents)
    with ExitStack() as opened:
        workers = min(chosen.width, os.cpu_count() or 1)
        bench = open_bench(session.workload, chosen.device, session_secret(session), replace(options, workers=workers))
        opened.callback(bench.close)
        settings = settings_of(session, model or ModelSettings())
        aided = replace(settings, library=library, compile_check=partial(compile_check, bench.evaluator))
        proposer = open_proposer(chosen.proposer, aided)
        opened.pop_all()
    return LoopContext(
        session=session,
        bench=bench,
        proposer=proposer,
        budget=Budget(
            attempts=chosen.iterations,
            time_limit_s=chosen.time_limit_s,
            patience=chosen.patience or PATIENCE,
            max_repairs=chosen.max_repairs,
            spent_s=session.spent_s(),
            model_calls=chosen.max_model_calls,
            tokens=chosen.max_tokens,
            money_usd=chosen.budget_usd,
        ),
        documents=library,
        profiling=options.profiling,
        concurrency=workers,
    )


_studio: dict[str, LoopContext] = {}


def context_of(runtime: Runtime[LoopContext], state: LoopState) -> LoopContext:
    """The run's context; under `langgraph dev`, which passes none, one opened from the session directory in the state."""
    if runtime.context is not None:
        return runtime.context
    directory = state["session"]
    if directory not in _studio:
        _studio[directory] = open_context(Session.open(Path(directory)), BenchOptions())
    return _studio[directory]
