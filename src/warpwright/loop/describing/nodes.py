"""The verbs of `new --describe`. Each may run twice after a kill: what is paid or written is found again, not repeated."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from warpwright.loop.describing.asking import Request, ask
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.draft import AUTHOR_FILES, SECOND
from warpwright.loop.describing.examination import compare_draft, inspect_draft
from warpwright.loop.describing.prompt import author_messages, second_messages
from warpwright.loop.describing.publish import publish
from warpwright.loop.describing.reply import Unusable, Written
from warpwright.loop.describing.state import MAX_RE_ASKS, DescribeState
from warpwright.workload.loader import load_workload

_BOTH_STAND = (
    "two independent implementations of the description disagree, and nobody gives way; correct the one that is wrong"
)


def specify(state: DescribeState, runtime: Runtime[DescribeContext]) -> DescribeState:
    """The author writes workload.toml, reference.py and kernel.cu, as far as the person did not."""
    context, fault = runtime.context, state.get("fault", "")
    draft = context.draft
    wanted = tuple(draft.open_files(AUTHOR_FILES))
    if not wanted or context.author is None:
        return {"next": "refuse", "reason": fault} if fault else {"next": "inspect"}
    context.say("the model is asked for " + ", ".join(wanted) if not fault else f"sent back to the model: {fault}")
    disagreement = bool(state.get("disagreed"))
    needed = () if fault and all(draft.text(name) is not None for name in wanted) else wanted
    request = Request(context.author, author_messages(draft, wanted), wanted, needed, fault, disagreement)
    read = ask(context, request)
    if isinstance(read, Unusable):
        return _back_to_author(state, f"{read.verdict}\n{fault}" if disagreement else read.verdict)
    if read.stands:
        reasons = f"The author holds: {read.stands}"
        return {"next": "refuse", "author_stands": read.stands, "reason": f"{_BOTH_STAND}. {fault} {reasons}"}
    _write(context, read)
    return {"next": "inspect", "fault": "", "disagreed": False}


def inspect(state: DescribeState, runtime: Runtime[DescribeContext]) -> DescribeState:
    """Loader, lint, mutants, laws, the initial kernel; a weakness that is no error is sent back once."""
    context = runtime.context
    context.say("checking: form, lint, wrong results that must be seen, laws, the initial kernel on every case")
    found = inspect_draft(context)
    context.draft.keep("inspection", {**found.record, "weaknesses": list(found.weaknesses)})
    if found.errors:
        return _back_to_author(state, "\n".join(f"- {text}" for text in found.errors))
    room = context.draft.open_files(AUTHOR_FILES) and state.get("author_re_asks", 0) < MAX_RE_ASKS
    if found.weaknesses and room and not state.get("warned"):
        back = _back_to_author(state, "\n".join(f"- {text}" for text in found.weaknesses))
        return {**back, "warned": True}
    return {"next": "second_opinion", "fault": ""}


def second_opinion(state: DescribeState, runtime: Runtime[DescribeContext]) -> DescribeState:
    """The second implementation, by somebody who sees the description and the signature only."""
    context, fault = runtime.context, state.get("fault", "")
    draft = context.draft
    if draft.text(SECOND) is not None and not fault:
        return {"next": "compare"}
    if context.second is None:
        return {"next": "refuse", "reason": fault or f"{SECOND}: missing, and there is no model to write it"}
    context.say("a second implementation is asked for" if not fault else f"sent back to the second: {fault}")
    opening = second_messages(draft, load_workload(draft.files))
    disagreed = bool(state.get("disagreed"))
    read = ask(context, Request(context.second, opening, (SECOND,), (SECOND,), fault, disagreed))
    if isinstance(read, Unusable):
        return _back_to_second(state, f"{read.verdict}\n{fault}" if disagreed else read.verdict)
    if read.stands:
        return {"next": "compare", "fault": "", "second_stands": read.stands}
    _write(context, read)
    return {"next": "compare", "fault": "", "disagreed": False, "second_stands": ""}


def compare(state: DescribeState, runtime: Runtime[DescribeContext]) -> DescribeState:
    """The second implementation against the oracle, on every case; who is wrong is for them to find, and then for a person."""
    context = runtime.context
    context.say("comparing the oracle with the second implementation on every case")
    found = compare_draft(context)
    context.draft.keep("comparison", {**found.record, "changed_minds": _re_asks(state)})
    if not found.fault:
        context.draft.accept_edits()
        return {"next": "freeze" if context.approved else "approve", "examined": found.content_hash, "fault": ""}
    own = SECOND in context.draft.assignment.supplied
    if not found.disagrees:
        if own:
            return {"next": "refuse", "reason": f"{SECOND}: {found.fault}"}
        return _back_to_second(state, found.fault)
    fault = f"reference.py and {SECOND} disagree: {found.fault}"
    if not own and not state.get("second_stands") and state.get("second_re_asks", 0) < MAX_RE_ASKS:
        return {**_back_to_second(state, fault), "disagreed": True}
    if state.get("second_stands"):
        fault += f" The second holds: {state['second_stands']}"
    return {**_back_to_author(state, fault), "disagreed": True}


def approve(state: DescribeState) -> DescribeState:
    """Wait for a person; nothing else, because this node begins anew when the answer comes."""
    return {"answer": str(interrupt({"examined": state["examined"]})), "next": "freeze"}


def freeze(state: DescribeState, runtime: Runtime[DescribeContext]) -> DescribeState:
    """What was approved becomes the workload, with the hash that says so."""
    publish(runtime.context, state["examined"])
    return {}


def refuse(state: DescribeState, runtime: Runtime[DescribeContext]) -> DescribeState:
    """Nothing is written where a workload is looked for; the draft stays."""
    runtime.context.draft.keep("refusal", {"reason": state["reason"]})
    return {}


def _back_to_author(state: DescribeState, fault: str) -> DescribeState:
    """Send it back, or refuse when that was done often enough."""
    count = state.get("author_re_asks", 0)
    if count >= MAX_RE_ASKS:
        return {"next": "refuse", "reason": fault}
    return {"next": "specify", "fault": fault, "author_re_asks": count + 1}


def _back_to_second(state: DescribeState, fault: str) -> DescribeState:
    count = state.get("second_re_asks", 0)
    if count >= MAX_RE_ASKS:
        return {"next": "refuse", "reason": f"no second implementation could be had: {fault}"}
    return {"next": "second_opinion", "fault": fault, "second_re_asks": count + 1}


def _re_asks(state: DescribeState) -> dict[str, int]:
    return {"author": state.get("author_re_asks", 0), "second": state.get("second_re_asks", 0)}


def _write(context: DescribeContext, written: Written) -> None:
    for name, text in written.files.items():
        context.draft.write(name, text)
