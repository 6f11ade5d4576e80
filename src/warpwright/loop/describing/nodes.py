"""The verbs of `new --describe`. Each may run twice after a kill: what is paid or written is found again, not repeated."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from warpwright.loop.describing.asking import Request, ask
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.declaring import authored_digests
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
    opening, turn = author_messages(draft, wanted), f"author {state.get('author_re_asks', 0)}"
    read = ask(context, Request(turn, context.author, opening, wanted, needed, fault, disagreement))
    if isinstance(read, Unusable):
        return _back_to_author(state, read.verdict, formal=True)
    _use(context, read)
    if read.stands:
        reason = f"{_BOTH_STAND}. {_sentence(fault)} The author holds: {read.stands}"
        return {"next": "refuse", "author_stands": read.stands, "reason": reason}
    return {"next": "inspect", "fault": "", "disagreed": False}


def inspect(state: DescribeState, runtime: Runtime[DescribeContext]) -> DescribeState:
    """Loader, lint, mutants, laws, the initial kernel; a weakness that is no error is sent back once."""
    context = runtime.context
    edited = context.draft.edited()
    if edited:
        _take_over(context, edited)
    inspected = authored_digests(context.draft)
    context.say("checking: form, lint, wrong results that must be seen, laws, the initial kernel on every case")
    found = inspect_draft(context)
    context.draft.keep("inspection", {**found.record, "weaknesses": list(found.weaknesses)})
    if found.errors:
        return _back_to_author(state, "\n".join(f"- {text}" for text in found.errors))
    room = context.draft.open_files(AUTHOR_FILES) and state.get("author_re_asks", 0) < MAX_RE_ASKS
    if found.weaknesses and room and not state.get("warned"):
        back = _back_to_author(state, "\n".join(f"- {text}" for text in found.weaknesses))
        return {**back, "warned": True}
    return {"next": "second_opinion", "fault": "", "unresolved": "", "inspected": inspected}


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
    turn = f"second {state.get('second_re_asks', 0)}"
    read = ask(context, Request(turn, context.second, opening, (SECOND,), (SECOND,), fault, disagreed))
    if isinstance(read, Unusable):
        return _back_to_second(state, read.verdict, formal=True)
    _use(context, read)
    if read.stands:
        return {"next": "compare", "fault": "", "second_stands": read.stands}
    return {"next": "compare", "fault": "", "disagreed": False, "second_stands": ""}


def compare(state: DescribeState, runtime: Runtime[DescribeContext]) -> DescribeState:
    """The second implementation against the oracle, on every case; who is wrong is for them to find, and then for a person."""
    context = runtime.context
    if edited := _edited_since(state, context):
        return _inspected_again(context, edited)
    context.say("comparing the oracle with the second implementation on every case")
    found = compare_draft(context)
    if edited := _edited_since(state, context):
        return _inspected_again(context, edited)
    context.draft.keep("comparison", {**found.record, "changed_minds": _re_asks(state)})
    if not found.fault:
        return {"next": "approve", "examined": found.content_hash, "fault": ""}
    own = SECOND in context.draft.assignment.supplied
    return _sent_back(state, _sentence(found.fault), disagrees=found.disagrees, own=own)


def _sent_back(state: DescribeState, found: str, *, disagrees: bool, own: bool) -> DescribeState:
    """The second writer is shown a fault first, then the author. own: the second implementation is the person's."""
    if not disagrees:
        return {"next": "refuse", "reason": f"{SECOND}: {found}"} if own else _back_to_second(state, found)
    fault = f"reference.py and {SECOND} disagree: {found}"
    stands = state.get("second_stands", "")
    if not own and not stands and state.get("second_re_asks", 0) < MAX_RE_ASKS:
        return {**_back_to_second(state, fault), "disagreed": True}
    if stands:
        fault += f" The second holds: {stands}"
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


def _back_to_author(state: DescribeState, fault: str, *, formal: bool = False) -> DescribeState:
    """Send it back, or refuse when that was done often enough. formal: the reply could not be read, so nothing was checked."""
    count = state.get("author_re_asks", 0)
    told, unresolved = _told(state, fault, formal=formal)
    if count >= MAX_RE_ASKS:
        return {"next": "refuse", "reason": told}
    return {"next": "specify", "fault": told, "unresolved": unresolved, "author_re_asks": count + 1}


def _back_to_second(state: DescribeState, fault: str, *, formal: bool = False) -> DescribeState:
    count = state.get("second_re_asks", 0)
    told, unresolved = _told(state, fault, formal=formal)
    if count >= MAX_RE_ASKS:
        return {"next": "refuse", "reason": f"no second implementation could be had: {told}"}
    return {"next": "second_opinion", "fault": told, "unresolved": unresolved, "second_re_asks": count + 1}


def _told(state: DescribeState, fault: str, *, formal: bool) -> tuple[str, str]:
    """What is said of a fault, and what a check found last: a reply that cannot be read does not settle that."""
    unresolved = state.get("unresolved", "") if formal else fault
    return (f"{fault}\nNot resolved before that:\n{unresolved}" if formal and unresolved else fault), unresolved


def _sentence(text: str) -> str:
    """Ended, so that another can follow."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _re_asks(state: DescribeState) -> dict[str, int]:
    return {"author": state.get("author_re_asks", 0), "second": state.get("second_re_asks", 0)}


def _use(context: DescribeContext, written: Written) -> None:
    """Write the files of a reply; what a person edited meanwhile stays. After a kill it is found by its turn, judged or not."""
    context.draft.judge("used")
    edited = context.draft.edited()
    if edited:
        _take_over(context, edited)
    for name, text in written.files.items():
        if name not in edited:
            context.draft.write(name, text)


def _edited_since(state: DescribeState, context: DescribeContext) -> list[str]:
    """What is no longer what was inspected, or what the second wrote."""
    inspected, now = state.get("inspected", {}), authored_digests(context.draft)
    changed = {name for name in {*inspected, *now} if inspected.get(name) != now.get(name)}
    return sorted({*changed, *context.draft.edited()})


def _inspected_again(context: DescribeContext, edited: list[str]) -> DescribeState:
    _take_over(context, edited)
    return {"next": "inspect", "fault": "", "unresolved": "", "disagreed": False, "second_stands": ""}


def _take_over(context: DescribeContext, edited: list[str]) -> None:
    context.say(f"edited while this ran, so yours from now on: {', '.join(edited)}")
    context.draft.take_over(edited)
