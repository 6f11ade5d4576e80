"""The first prompt of a session that does not take place."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from warpwright.evaluation.bench import BenchOptions
from warpwright.loop.context import LoopContext, open_context
from warpwright.loop.diagnosis import diagnose_attempt, worth_profiling
from warpwright.loop.research import look_up
from warpwright.loop.secret import secret_path
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.model.prompt.build import Prompt, build_prompt
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.model import Workload


def first_prompt(
    workload: Workload,
    options: SessionOptions,
    folder: Path,
    bench: BenchOptions,
    documents: Path | None,
    history: Path | None = None,
) -> Prompt:
    """Evaluate and diagnose the initial kernel in a session below `folder`, as a run would, without its tuning search.

    The prompt is that of a model which takes look-ups. history: of other sessions, as for a run.
    Raises: UnavailableError if the device or the compiler is not here.
    """
    unasked = replace(options, proposer="builtin")
    session = Session.create(folder, workload, unasked, {}, "dry run", GRAPH_VERSION)
    try:
        with closing(open_context(session, bench, documents)) as context:
            context.recall(history)
            _evaluate_initial(context)
            state = context.search_state()
            return build_prompt(state, state.incumbent or 1, tools=True)
    finally:
        session.close()
        secret_path(session).unlink(missing_ok=True)


def prompt_to_json(prompt: Prompt) -> dict[str, Any]:
    """The document of `optimize --dry-run --json`."""
    return {
        "messages": [{"role": message.role.value, "text": message.text} for message in prompt.messages],
        "size_chars": prompt.size_chars,
        "size_tokens_estimate": prompt.size_tokens_estimate,
        "citations": list(prompt.citations),
    }


def _evaluate_initial(context: LoopContext) -> None:
    session = context.session
    number = session.begin(session.workload.initial, None, "workload", 0)
    attempt = session.finish(number, context.bench.evaluator.evaluate(session.workload.initial))
    if not worth_profiling(context, attempt):
        return
    diagnosis = diagnose_attempt(context, attempt)
    guidance = None if diagnosis.bottleneck is None else look_up(context, number, diagnosis)
    if guidance is not None:
        session.write_guidance(number, guidance)
