"""A profile as a person wants it: a bar per unit, what limits the kernel with the evidence, and the advice with its sources."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from warpwright.knowledge.field_guide.card import Advice, Guidance
from warpwright.profiler.counters import format_counter, metrics
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.profile import CaseProfile, HotLine, LaunchCounters, RuleResult
from warpwright.report.words import percent_text, time_text

UNITS = (
    ("SM", "sm_throughput_ratio"),
    ("issue slots", "issue_active_ratio"),
    ("DRAM", "dram_throughput_ratio"),
    ("L2", "l2_throughput_ratio"),
    ("L1 / LSU", "l1_throughput_ratio"),
    ("FMA pipe", "pipe_fma_ratio"),
    ("ALU pipe", "pipe_alu_ratio"),
    ("FP64 pipe", "pipe_fp64_ratio"),
    ("XU pipe", "pipe_xu_ratio"),
    ("tensor pipe", "pipe_tensor_ratio"),
    ("occupancy", "occupancy_achieved_ratio"),
    ("occupancy (theoretical)", "occupancy_theoretical_ratio"),
)
"""What gets a bar: label and counter, a part of its peak."""

MAIN_UNITS = 5
"""So many of them are shown even where they idle."""

_BAR_WIDTH = 28
_IDLE = 0.005
_SHOWN_ADVICE = 3
_SHOWN_RULES = 3
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
    yield _bars(case.profile.main, estimated=diagnosis.estimated)
    yield from _findings(diagnosis)
    yield from (_rule(rule) for rule in _worthwhile(case.profile.main.rules))
    if case.guidance is not None:
        yield from _advice(case.guidance.advice, told)
    for note in dict.fromkeys((*case.profile.notes, *diagnosis.notes)):
        if note != case.profile.reason:
            yield _indented(Text(f"note: {note}", style="dim"))
    if diagnosis.not_evaluated:
        text = "; ".join(f"{name} (unknown: {', '.join(lacks)})" for name, lacks in diagnosis.not_evaluated.items())
        yield _indented(Text(f"not evaluated: {text}", style="dim"))


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


def _bars(launch: LaunchCounters, *, estimated: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=25)
    table.add_column(width=_BAR_WIDTH)
    table.add_column(justify="right")
    idle, unknown = [], []
    for number, (label, counter) in enumerate(UNITS):
        value = launch.value(counter)
        if value is None:
            unknown.append(label)
        elif value < _IDLE and number >= MAIN_UNITS:
            idle.append(label)
        else:
            bar = ProgressBar(total=1.0, completed=min(value, 1.0), width=_BAR_WIDTH)
            about = "est. " if estimated and launch.counters[counter].quality == "estimated" else ""
            table.add_row(f"  {label}", bar, f"{about}{percent_text(value)} of peak")
    for words, labels in (("idle", idle), ("unknown", unknown)):
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
        yield _indented(Text(f"curing it can bring at most {target.bound:.3g} times the speed"), 2)
    for line in target.hot_lines[:_SHOWN_LINES]:
        yield _indented(Text(_line_text(line)), 2)
    for other in diagnosis.runners_up:
        yield _indented(Text.assemble("then ", (other.bottleneck, "bold"), f": {other.text}"))
        yield _indented(Text(f"evidence: {evidence_text(other)}"), 2)


def evidence_text(finding: Finding) -> str:
    """`global_excess_ratio 78 % > 20 %, ...`."""
    return ", ".join(_evidence(each) for each in finding.evidence)


def _evidence(each: Evidence) -> str:
    name = _LARGEST.sub(lambda found: f"largest of {found[1]}", each.counter)
    value, threshold = (_figure(each.counter, number) for number in (each.value, each.threshold))
    return f"{name} {value} {each.relation} {threshold}"


_LARGEST = re.compile(r"^max\((.*)\)$")
_NAMES = re.compile(r"[a-z]\w+")


def _figure(counter: str, value: float) -> str:
    """A value of a counter, or of an expression over counters: of ratios alone, a ratio."""
    names = [name for name in _NAMES.findall(counter) if name not in ("max", "min")]
    if counter not in metrics() and names and all(name.endswith("_ratio") for name in names):
        return percent_text(value)
    return format_counter(counter, value)


def _line_text(line: HotLine) -> str:
    share = "" if line.share is None else f", {percent_text(line.share)} of the launch's"
    instruction = "" if line.instruction is None else f" ({line.instruction})"
    return f"line {line.line}{instruction}: {line.counter} {format_counter(line.counter, line.value)}{share}"


def _worthwhile(rules: Sequence[RuleResult]) -> list[RuleResult]:
    """Nsight Compute's own, where they estimate the whole launch; local estimates mislead more than they help."""
    telling = [rule for rule in rules if rule.kind == "optimization" and rule.scope == "global"]
    return sorted(telling, key=lambda rule: -(rule.speedup_percent or 0.0))[:_SHOWN_RULES]


def _rule(rule: RuleResult) -> Padding:
    estimate = "" if rule.speedup_percent is None else f" (its estimate: {rule.speedup_percent:.0f} %)"
    return _indented(Text(f"Nsight Compute says: {rule.title}{estimate}", style="dim"))


def _advice(advice: Sequence[Advice], told: set[str]) -> Iterator[RenderableType]:
    for each in advice[:_SHOWN_ADVICE]:
        card = each.card
        doubt = "" if each.applies else " (its counters are unknown)"
        where = ", outside the kernel" if card.host else ""
        yield _indented(Text.assemble((f"{card.id} {card.name}", "bold"), f"{where}{_gain_text(each)}{doubt}"))
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


def _gain_text(advice: Advice) -> str:
    low, high = advice.card.gain_low, advice.gain_high or advice.card.gain_high
    if low is None or high is None:
        return ""
    return f": {min(low, high):.3g} to {high:.3g} times the speed, by {advice.card.gain_basis}"
