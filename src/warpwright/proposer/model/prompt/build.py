"""Prompts from the record: for the next kernel, for a repair, and for a reply that could not be used."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from warpwright.proposer.conversation import Message, Role
from warpwright.proposer.model.prompt.filling import fill
from warpwright.proposer.model.prompt.limits import limits, tokens_estimate
from warpwright.proposer.model.prompt.parts.advice import advice, chosen, learned
from warpwright.proposer.model.prompt.parts.contract import contract
from warpwright.proposer.model.prompt.parts.device import device
from warpwright.proposer.model.prompt.parts.diagnosis import counters, diagnosis
from warpwright.proposer.model.prompt.parts.evidence import evidence
from warpwright.proposer.model.prompt.parts.history import attempts, refuted, tuning
from warpwright.proposer.model.prompt.parts.kernel import kernel
from warpwright.proposer.model.prompt.quoting import one_line, quoted, without_paths
from warpwright.proposer.model.prompt.subject import Subject
from warpwright.proposer.model.reply.bad_reply import BadReply
from warpwright.proposer.protocol import SearchState
from warpwright.workload.model import Workload

TOOL_CALLS = 6
"""Look-ups that a model may make before it must answer (`agent.md`, section 5)."""
OPTIONS = (
    "--use_fast_math, --maxrregcount=N, --std=c++{11,14,17,20}, --fmad=, --ftz=, --prec-div=, --prec-sqrt=true|false, "
    "--extra-device-vectorization, --restrict, --ptxas-options=-O{0..3}|-dlcm=c{a,g}|-dscm={wb,cg}"
)
"""As the compiler's policy says it, which proposers do not import; a test holds them together."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a conversation begins with. size_tokens_estimate: from its length; a tokenizer may count a third more or less.

    citations: ids that stand in it, so that a reply may cite them.
    """

    messages: tuple[Message, ...]
    size_chars: int
    size_tokens_estimate: int
    citations: tuple[str, ...] = ()


def build_prompt(
    state: SearchState, parent: int, tools: bool, *, hints: Sequence[str] = (), bottleneck: str | None = None
) -> Prompt:
    """The prompt for the next kernel.

    parent: number of the attempt to start from; 0 = the initial kernel, not evaluated yet. tools: whether the reader can
    look things up; one who cannot is shown more. hints: what other sessions learned, best first; () = those of the state.
    bottleneck: class of the finding to treat; None = the target of the diagnosis.
    """
    subject = Subject(state, parent, tools, bottleneck)
    cards = chosen(subject)
    finding = "" if subject.finding is None else f" ({subject.finding.bottleneck})"
    parts = (
        contract(subject),
        device(state),
        diagnosis(subject),
        counters(subject),
        advice(cards),
        learned(hints or state.hints.get(parent, ())),
        refuted(state),
        kernel(_named(state, parent), subject.candidate),
        tuning(state, parent),
        attempts(state),
        fill("tools", calls=str(TOOL_CALLS)) if tools else "",
        fill("propose", finding=finding),
        _protocol(subject),
    )
    known = (citation.id for card in cards for citation in card.citations)
    return _prompt(subject, parts, tuple(dict.fromkeys(known)))


def build_repair(state: SearchState, failed: int, tools: bool) -> Prompt:
    """The prompt to correct a failed attempt: its source, its idea, and all that its record holds against it."""
    subject = Subject(state, failed, tools)
    attempt = state.attempt(failed)
    idea = "" if attempt.hypothesis is None else f"{attempt.hypothesis.technique}: {attempt.hypothesis.text}"
    parts = (
        contract(subject),
        device(state),
        kernel(f"attempt {failed}, which failed", attempt.candidate),
        f"## Its idea\n{quoted('hypothesis', without_paths(idea), 2 * limits().line)}" if idea else "",
        evidence(state.workload, attempt),
        fill("tools", calls=str(TOOL_CALLS)) if tools else "",
        fill("repair"),
        _protocol(subject),
    )
    known = () if attempt.hypothesis is None else attempt.hypothesis.citations
    return _prompt(subject, parts, known)


def build_reask(bad: BadReply) -> Message:
    """What to say after a reply that could not be used: exactly what was wrong and what to do about it."""
    detail = quoted("what was found", without_paths(bad.detail), limits().evidence)
    return Message(Role.USER, fill("reask", kind=bad.kind.value, detail=detail, remedy=_remedies()[bad.kind.value]))


def _prompt(subject: Subject, parts: Sequence[str], citations: tuple[str, ...]) -> Prompt:
    user = "\n\n".join(part for part in parts if part)
    messages = (Message(Role.SYSTEM, _system(subject.workload)), Message(Role.USER, user))
    size = sum(len(message.text) for message in messages)
    return Prompt(messages, size, tokens_estimate(size), citations)


def _system(workload: Workload) -> str:
    headers = sorted(workload.initial.headers)
    lower = "Lower precision is allowed inside, as long as results stay within tolerance."
    same = "Compute in the precision of the arrays; sums of 16-bit or narrower values in fp32."
    return fill(
        "system",
        headers=f" and the workload's ({', '.join(one_line(name, limits().title) for name in headers)})"
        if headers
        else "",
        options=OPTIONS,
        sizes="for the sizes shown" if workload.policy.specialise else "for every legal size, not only for those shown",
        precision=lower if workload.policy.lower_precision else same,
    )


def _protocol(subject: Subject) -> str:
    dims = list(subject.workload.dims)
    entry = subject.workload.initial.plan.launches[0].entry
    return fill("protocol", entry=entry, dim=dims[0] if dims else "n", names=", ".join(dims) or "no dims")


def _named(state: SearchState, number: int) -> str:
    if number == 0:
        return "the initial kernel, which was not evaluated yet"
    return f"attempt {number}, the incumbent" if number == state.incumbent else f"attempt {number}"


@cache
def _remedies() -> dict[str, str]:
    return tomllib.loads(files(__package__).joinpath("texts", "reask.toml").read_text(encoding="utf-8"))
