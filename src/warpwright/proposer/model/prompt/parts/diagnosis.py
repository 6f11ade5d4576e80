"""What limits the parent, by its counters: one finding to treat with its evidence, the next ones in a line each."""

from warpwright.profiler.basis import counted_by
from warpwright.profiler.counters import Quality, format_counter, metrics
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.diagnosis.wording import bound_words, hint_words, roof_sentence
from warpwright.profiler.profile import HotLine
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, one_line, quoted, without_paths
from warpwright.proposer.model.prompt.subject import Subject
from warpwright.units import format_us, labelled

CORE_COUNTERS = (
    "duration_ns", "dram_throughput_ratio", "l2_throughput_ratio", "l1_hit_ratio", "l2_hit_ratio", "issue_active_ratio",
    "occupancy_theoretical_ratio", "registers_per_thread", "waves_per_sm", "dram_read_bytes", "dram_write_bytes",
    "global_load_sectors", "global_store_sectors", "instructions", "threads_per_instruction", "shared_bank_conflicts",
    "shared_wavefronts", "spill_bytes", "grid_blocks", "block_threads", "l2_atomic_sectors", "flop_fp32",
    "sm_throughput_ratio", "memory_throughput_ratio", "global_excess_ratio", "shared_conflict_ratio",
    "occupancy_achieved_ratio", "eligible_warps",
)  # fmt: skip
"""Counters that explain most kernels, in the order in which they are shown beside those that the finding rests on."""


def diagnosis(subject: Subject) -> str:
    """The target case with its time and floor, the finding, the runners-up, one hot line."""
    case, finding = subject.case, subject.finding
    if case is None:
        return "## Diagnosis\nNothing is known yet: the kernel was not profiled."
    lines = [f"## Diagnosis\n{_time(case)}"]
    if case.at_roof:
        lines.append(roof_sentence(case))
    elif finding is None:
        lines.append("No class of bottleneck applies by the counters that are known.")
    if finding is not None:
        lines += _finding(case, finding)
    others = [other for other in case.findings if other is not finding][:2]
    lines += [f"{_next(case, other)}: {other.bottleneck}: {one_line(other.text, limits().line)}" for other in others]
    lines += [f"Note: {one_line(without_paths(note), limits().line)}" for note in case.notes[:2]]
    text = clipped("\n".join(lines), limits().diagnosis)
    return f"{text}\n{_hot_line(subject, finding.hot_lines[0])}" if finding is not None and finding.hot_lines else text


def counters(subject: Subject) -> str:
    """Counters of the launch that was judged: those of the finding first; the names are those that `expects` may use."""
    known, estimated = subject.counters(), _estimated(subject)
    finding = subject.finding
    named = [evidence.counter for evidence in finding.evidence] if finding is not None else []
    count = limits().counters_with_tools if subject.tools else limits().counters_without_tools
    order = [name for name in dict.fromkeys((*named, *CORE_COUNTERS)) if name in known and name in metrics()][:count]
    if not order:
        return ""
    case = (
        ""
        if subject.case is None
        else f" on case {one_line(subject.case.case, limits().title)}; {_basis(subject.case)}"
    )
    lines = [
        f"- {name} = {known[name]:.6g} ({labelled(format_counter(name, known[name]), estimated=name in estimated)}): "
        f"{metrics()[name].meaning}"
        for name in order
    ]
    return clipped("\n".join([f"## Counters of attempt {subject.number}{case}", *lines]), limits().counters)


def _estimated(subject: Subject) -> set[str]:
    """Names of the counters that are estimates, on the case that was judged."""
    profiles = subject.state.profiles.get(subject.number, ())
    judged = [profile.main for profile in profiles if subject.case is not None and profile.case == subject.case.case]
    counters = (pair for launch in judged for pair in launch.counters.items())
    return {name for name, counter in counters if counter.quality is Quality.ESTIMATED}


def _basis(case: CaseDiagnosis) -> str:
    return one_line(without_paths(counted_by(case.tool)), limits().title)


def _time(case: CaseDiagnosis) -> str:
    source = " (estimated by a model, not measured)" if case.time_estimated else ""
    text = f"Case {one_line(case.case, limits().title)}, kernel {one_line(case.entry, limits().title)}"
    if case.time_us is None:
        return f"{text}: its time is unknown."
    text += f": {format_us(case.time_us)}{source}"
    if case.floor_us is None or case.floor_ratio is None:
        return f"{text}."
    by = f" set by {case.floor_binding}" if case.floor_binding else ""
    return f"{text}; physics allows {format_us(case.floor_us)}{by}, so it is {1 / case.floor_ratio:.1f} times slower than that."


def _next(case: CaseDiagnosis, other: Finding) -> str:
    if case.at_roof:
        return "Also seen"
    return hint_words(case, other).capitalize() if other.hint else "Next after it"


def _finding(case: CaseDiagnosis, finding: Finding) -> list[str]:
    """The finding with its evidence. A hint is no verdict and at the roof nothing is to be treated: no bound is given."""
    if case.at_roof:
        head = f"Seen: {finding.bottleneck}"
    else:
        bound = bound_words(case, finding)
        head = hint_words(case, finding).capitalize() if finding.hint else "To treat"
        head = f"{head}: {finding.bottleneck}{f'; {bound}' if bound else ''}"
    lines = [f"{head}. {one_line(finding.text, 2 * limits().line)}"]
    if finding.evidence:
        lines.append("Evidence: " + "; ".join(_evidence(evidence) for evidence in finding.evidence) + ".")
    return lines


def _evidence(evidence: Evidence) -> str:
    value, threshold = (format_counter(evidence.counter, number) for number in (evidence.value, evidence.threshold))
    against = "" if evidence.against is None else f", which is {evidence.against}"
    return f"{evidence.counter} = {labelled(value, estimated=evidence.estimated)} ({evidence.relation} {threshold}{against})"


def _hot_line(subject: Subject, hot: HotLine) -> str:
    """Its text stands between marks: it is somebody else's, and may have a comment that speaks to the reader."""
    lines = subject.candidate.source.splitlines()
    share = "" if hot.share is None else f" with {hot.share:.0%} of {hot.counter}"
    where = f"Hot line {hot.line}{share}"
    if not 0 < hot.line <= len(lines):
        return f"{where}."
    return f"{where}:\n{quoted('hot line', one_line(lines[hot.line - 1], limits().line), limits().line)}"
