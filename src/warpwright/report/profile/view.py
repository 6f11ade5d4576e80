"""A profile as a person wants it: a bar per unit, what limits the kernel with the evidence, and the advice with its sources."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from warpwright.knowledge.field_guide.card import Advice, Guidance
from warpwright.profiler.basis import counted_by
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Finding
from warpwright.profiler.diagnosis.wording import bound_words
from warpwright.profiler.profile import CaseProfile, LaunchCounters
from warpwright.report.profile.bars import unit_bars
from warpwright.report.profile.phrases import (
    evidence_text,
    finding_name,
    gain_text,
    head_words,
    line_text,
    not_evaluated_text,
    notes_of,
    roof_words,
    rule_text,
    shown_findings,
    telling_rules,
)
from warpwright.report.words import percent_text, time_text
from warpwright.units import labelled

_BAR_WIDTH = 28
_SHOWN_ADVICE = 3
_SHOWN_LINES = 3


@dataclass(frozen=True, slots=True)
class ProfiledCase:
    """One case: what was counted, what it means, what is advised. guidance: None if no class applies."""

    profile: CaseProfile
    diagnosis: CaseDiagnosis
    guidance: Guidance | None


def profile_view(cases: Sequence[ProfiledCase]) -> list[RenderableType]:
    """Every case, ready to print: with `crop=False`, since addresses stay whole on a line that is wider than the terminal.

    What several cases are advised is written out once.
    """
    told: set[str] = set()
    return [Group(*_case(case, told), Text("")) for case in cases]


def _case(case: ProfiledCase, told: set[str]) -> Iterator[RenderableType]:
    diagnosis = case.diagnosis
    yield _title(case)
    if case.profile.reason is not None:
        yield _indented(Text(case.profile.reason, style="yellow"))
    yield from _units(case.profile.main)
    yield from _findings(diagnosis)
    yield from (_indented(Text(rule_text(rule), style="dim")) for rule in telling_rules(case.profile.main.rules))
    if case.guidance is not None:
        yield from _advice(case.guidance.advice, diagnosis.target, told)
    for note in notes_of(case.profile, diagnosis):
        yield _indented(Text(f"note: {note}", style="dim"))
    if diagnosis.not_evaluated:
        yield _indented(Text(f"not evaluated: {not_evaluated_text(diagnosis)}", style="dim"))


def _indented(text: Text, depth: int = 1) -> Padding:
    return Padding(text, (0, 0, 0, 2 * depth))


def _unbroken(text: str, depth: int) -> Text:
    """A line that is never wrapped, so that it can be copied."""
    return Text(f"{'  ' * depth}{text}", style="blue", no_wrap=True, overflow="ignore")


def _title(case: ProfiledCase) -> Text:
    diagnosis = case.diagnosis
    text = Text(case.profile.case, style="bold")
    text.append(f"  {time_text(diagnosis.time_us, estimated=case.profile.time_estimated)}")
    if diagnosis.floor_us is not None:
        bound = "" if diagnosis.floor_binding is None else f" set by {diagnosis.floor_binding}"
        floor = time_text(diagnosis.floor_us, estimated=False)
        text.append(f", {percent_text(diagnosis.floor_ratio)} of the floor ({floor}{bound})", style="default")
    launches = case.profile.launch_count
    which = (
        case.profile.main.entry if launches == 1 else f"{case.profile.main.entry}, the longest of {launches} launches"
    )
    text.append(f"\n  {which}, {case.profile.cache} cache; {counted_by(case.profile.tool)}", style="dim")
    return text


def _units(launch: LaunchCounters) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=25)
    table.add_column(width=_BAR_WIDTH)
    table.add_column(justify="right")
    units = unit_bars(launch)
    for bar in units.bars:
        drawn = ProgressBar(total=1.0, completed=min(bar.ratio, 1.0), width=_BAR_WIDTH)
        table.add_row(f"  {bar.label}", drawn, f"{labelled(percent_text(bar.ratio), estimated=bar.estimated)} of peak")
    yield table
    for words, labels in (("idle", units.idle), ("unknown", units.unknown)):
        if labels:
            yield _indented(Text(f"{words}: {', '.join(labels)}", style="dim"))


def _findings(diagnosis: CaseDiagnosis) -> Iterator[RenderableType]:
    if diagnosis.at_roof:
        yield _indented(Text(f"{roof_words(diagnosis)}: nothing is left to gain here", style="bold green"))
    elif diagnosis.target is None:
        yield _indented(Text("no bottleneck class applies to the known counters", style="yellow"))
    for finding in shown_findings(diagnosis):
        yield _indented(_headed(head_words(diagnosis, finding), finding_name(finding)).append(finding.text))
        yield from (_indented(Text(words), 2) for words in _behind(diagnosis, finding))


def _headed(words: str, name: str) -> Text:
    return Text(f"{words} ").append(name, style="bold").append(": ") if name else Text()


def _behind(diagnosis: CaseDiagnosis, finding: Finding) -> Iterator[str]:
    """What stands behind a finding; of the target also what it costs and where."""
    yield f"evidence: {evidence_text(finding)}"
    if finding is diagnosis.target:
        yield from filter(None, [bound_words(diagnosis, finding)])
        yield from (line_text(line) for line in finding.hot_lines[:_SHOWN_LINES])


def _advice(advice: Sequence[Advice], target: Finding | None, told: set[str]) -> Iterator[RenderableType]:
    if advice:
        yield _indented(Text("advice of the field guide:"))
    for each in advice[:_SHOWN_ADVICE]:
        card = each.card
        doubt = "" if each.applies else " (its counters are unknown)"
        where = ", outside the kernel" if card.host else ""
        gain = gain_text(each, target)
        above = "; written out above" if card.id in told else ""
        words = f"{where}{': ' if gain else ''}{gain}{doubt}{above}"
        yield _indented(Text.assemble((f"{card.id} {card.name}", "bold"), words))
        if card.id in told:
            continue
        told.add(card.id)
        yield _indented(Text(card.change), 2)
        yield _indented(Text(f"risk: {card.risk}", style="dim"), 2)
        for citation in each.citations:
            if citation.id != card.id:
                yield _indented(Text(citation.text), 2)
                yield from (_unbroken(address, 2) for address in filter(None, [citation.url or citation.path]))
    if len(advice) > _SHOWN_ADVICE:
        rest = ", ".join(f"{each.card.id} {each.card.name}" for each in advice[_SHOWN_ADVICE:])
        yield _indented(Text(f"further: {rest}", style="dim"))
