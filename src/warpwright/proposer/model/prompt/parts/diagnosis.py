"""What limits the parent, by its counters: one finding to treat with its evidence, the next ones in a line each."""

from warpwright.profiler.counters import format_counter, metrics
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.profile import HotLine
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, one_line, without_paths
from warpwright.proposer.model.prompt.subject import Subject
from warpwright.units import format_ratio, format_us

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
    """The target case with its time and floor, the finding, one hot line, the runners-up."""
    case, finding = subject.case, subject.finding
    if case is None:
        return "## Diagnosis\nNothing is known yet: the kernel was not profiled."
    lines = [f"## Diagnosis\n{_time(case)}"]
    if case.at_roof:
        lines.append(
            "It is as fast as this GPU allows, as far as the counters tell: only less work could make it faster."
        )
    if finding is None:
        lines.append("No class of bottleneck applies by the counters that are known.")
    else:
        lines += _finding(subject, finding)
    others = [other for other in case.findings if other is not finding][:2]
    lines += [f"Next after it: {other.bottleneck}: {one_line(other.text, limits().line)}" for other in others]
    lines += [f"Note: {one_line(without_paths(note), limits().line)}" for note in case.notes[:2]]
    return clipped("\n".join(lines), limits().diagnosis)


def counters(subject: Subject) -> str:
    """Counters of the launch that was judged: those of the finding first; the names are those that `expects` may use."""
    known = subject.counters()
    finding = subject.finding
    named = [evidence.counter for evidence in finding.evidence] if finding is not None else []
    count = limits().counters_with_tools if subject.tools else limits().counters_without_tools
    order = [name for name in dict.fromkeys((*named, *CORE_COUNTERS)) if name in known and name in metrics()][:count]
    if not order:
        return ""
    case = "" if subject.case is None else f" on case {one_line(subject.case.case, limits().title)}"
    lines = [
        f"- {name} = {known[name]:.6g} ({format_counter(name, known[name])}): {metrics()[name].meaning}"
        for name in order
    ]
    return clipped("\n".join([f"## Counters of attempt {subject.number}{case}", *lines]), limits().counters)


def _time(case: CaseDiagnosis) -> str:
    source = " (estimated by a model, not measured)" if case.estimated else ""
    text = f"Case {one_line(case.case, limits().title)}, kernel {one_line(case.entry, limits().title)}"
    if case.time_us is None:
        return f"{text}: its time is unknown."
    text += f": {format_us(case.time_us)}{source}"
    if case.floor_us is None or case.floor_ratio is None:
        return f"{text}."
    by = f" set by {case.floor_binding}" if case.floor_binding else ""
    return f"{text}; physics allows {format_us(case.floor_us)}{by}, so it is {1 / case.floor_ratio:.1f} times slower than that."


def _finding(subject: Subject, finding: Finding) -> list[str]:
    bound = "" if finding.bound is None else f"; curing it alone can bring at most {format_ratio(finding.bound)}"
    lines = [f"To treat: {finding.bottleneck}{bound}. {one_line(finding.text, 2 * limits().line)}"]
    if finding.evidence:
        lines.append("Evidence: " + "; ".join(_evidence(evidence) for evidence in finding.evidence) + ".")
    if finding.hot_lines:
        lines.append(_hot_line(subject, finding.hot_lines[0]))
    return lines


def _evidence(evidence: Evidence) -> str:
    value, threshold = (format_counter(evidence.counter, number) for number in (evidence.value, evidence.threshold))
    return f"{evidence.counter} = {value} ({evidence.relation} {threshold})"


def _hot_line(subject: Subject, hot: HotLine) -> str:
    lines = subject.candidate.source.splitlines()
    code = one_line(lines[hot.line - 1], limits().line) if 0 < hot.line <= len(lines) else ""
    share = "" if hot.share is None else f" with {hot.share:.0%} of {hot.counter}"
    return f"Hot line {hot.line}{share}: `{code.replace('`', chr(39))}`"
