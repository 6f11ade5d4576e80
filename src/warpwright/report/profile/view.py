"""A profile as a person wants it: a bar per unit, what limits the kernel with the evidence, and the advice with its sources."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from warpwright.knowledge.field_guide.card import Advice, Guidance
from warpwright.profiler.diagnosis.finding import CaseDiagnosis
from warpwright.profiler.profile import CaseProfile, LaunchCounters
from warpwright.report.profile.bars import unit_bars
from warpwright.report.profile.phrases import (
    bound_text,
    evidence_text,
    gain_text,
    line_text,
    not_evaluated_text,
    notes_of,
    rule_text,
    telling_rules,
)
from warpwright.report.words import percent_text, time_text

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
    """Every case, ready to print. What several cases are advised is written out once."""
    told: set[str] = set()
    return [Group(*_case(case, told), Text("")) for case in cases]


def _case(case: ProfiledCase, told: set[str]) -> Iterator[RenderableType]:
    diagnosis = case.diagnosis
    yield _title(case)
    if case.profile.reason is not None:
        yield _indented(Text(case.profile.reason, style="yellow"))
    yield _bars(case.profile.main)
    yield from _findings(diagnosis)
    yield from (_indented(Text(rule_text(rule), style="dim")) for rule in telling_rules(case.profile.main.rules))
    if case.guidance is not None:
        yield from _advice(case.guidance.advice, told)
    for note in notes_of(case.profile, diagnosis):
        yield _indented(Text(f"note: {note}", style="dim"))
    if diagnosis.not_evaluated:
        yield _indented(Text(f"not evaluated: {not_evaluated_text(diagnosis)}", style="dim"))


def _indented(text: Text, depth: int = 1) -> Padding:
    return Padding(text, (0, 0, 0, 2 * depth))


def _title(case: ProfiledCase) -> Text:
    diagnosis = case.diagnosis
    text = Text(case.profile.case, style="bold")
    text.append(f"  {time_text(diagnosis.time_us, estimated=_estimated_time(case))}")
    if diagnosis.floor_us is not None:
        bound = "" if diagnosis.floor_binding is None else f" set by {diagnosis.floor_binding}"
        floor = time_text(diagnosis.floor_us, estimated=False)
        text.append(f", {percent_text(diagnosis.floor_ratio)} of the floor ({floor}{bound})", style="default")
    launches = len(case.profile.launches)
    which = (
        case.profile.main.entry if launches == 1 else f"{case.profile.main.entry}, the longest of {launches} launches"
    )
    text.append(f"\n  {which}; {case.profile.tool}, {case.profile.cache} cache", style="dim")
    return text


def _estimated_time(case: ProfiledCase) -> bool:
    """Times come from the timing of the candidate, which is an estimate exactly where the counters' tool is the emulator."""
    return any(counter.source == "emulator" for counter in case.profile.main.counters.values())


def _bars(launch: LaunchCounters) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=25)
    table.add_column(width=_BAR_WIDTH)
    table.add_column(justify="right")
    units = unit_bars(launch)
    for bar in units.bars:
        drawn = ProgressBar(total=1.0, completed=min(bar.ratio, 1.0), width=_BAR_WIDTH)
        table.add_row(f"  {bar.label}", drawn, f"{'est. ' if bar.estimated else ''}{percent_text(bar.ratio)} of peak")
    for words, labels in (("idle", units.idle), ("unknown", units.unknown)):
        if labels:
            table.add_row(f"  {words}", Text(", ".join(labels), style="dim"), "")
    return table


def _findings(diagnosis: CaseDiagnosis) -> Iterator[RenderableType]:
    target = diagnosis.target
    if diagnosis.at_roof:
        yield _indented(Text("at the roof: nothing is left to gain here", style="bold green"))
    if target is None:
        yield _indented(Text("no bottleneck class applies to the known counters", style="yellow"))
        return
    yield _indented(Text.assemble("limited by ", (target.bottleneck, "bold"), f": {target.text}"))
    yield _indented(Text(f"evidence: {evidence_text(target)}"), 2)
    if target.bound is not None:
        yield _indented(Text(bound_text(target)), 2)
    for line in target.hot_lines[:_SHOWN_LINES]:
        yield _indented(Text(line_text(line)), 2)
    for other in diagnosis.runners_up:
        yield _indented(Text.assemble("then ", (other.bottleneck, "bold"), f": {other.text}"))
        yield _indented(Text(f"evidence: {evidence_text(other)}"), 2)


def _advice(advice: Sequence[Advice], told: set[str]) -> Iterator[RenderableType]:
    for each in advice[:_SHOWN_ADVICE]:
        card = each.card
        doubt = "" if each.applies else " (its counters are unknown)"
        where = ", outside the kernel" if card.host else ""
        gain = f": {gain_text(each)}" if gain_text(each) else ""
        yield _indented(Text.assemble((f"{card.id} {card.name}", "bold"), f"{where}{gain}{doubt}"))
        if card.id in told:
            continue
        told.add(card.id)
        yield _indented(Text(card.change), 2)
        yield _indented(Text(f"risk: {card.risk}", style="dim"), 2)
        for citation in each.citations:
            if citation.id != card.id:
                address = citation.url or citation.path or ""
                yield _indented(Text.assemble(citation.text, "  ", (address, "blue")), 2)
    if len(advice) > _SHOWN_ADVICE:
        rest = ", ".join(f"{each.card.id} {each.card.name}" for each in advice[_SHOWN_ADVICE:])
        yield _indented(Text(f"further: {rest}", style="dim"))
