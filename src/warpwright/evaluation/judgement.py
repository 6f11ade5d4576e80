"""From a profile to its diagnosis and to what is advised on it: one way for the loop and for `warpwright profile`."""

from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.knowledge.books import SectionFinder
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.knowledge.field_guide.guide import guidance_for
from warpwright.knowledge.field_guide.history import Results
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.finding import CaseDiagnosis
from warpwright.profiler.diagnosis.situation import Situation, situation_of
from warpwright.profiler.profile import CaseProfile
from warpwright.profiler.worked_out import completed
from warpwright.workload.model import Workload


def judge(workload: Workload, gpu: GpuSpec, profile: CaseProfile) -> CaseDiagnosis:
    """What limits a profiled case of the workload."""
    return diagnose_case(profile, _situation(workload, gpu, profile))


def advise(
    workload: Workload,
    gpu: GpuSpec,
    profile: CaseProfile,
    diagnosis: CaseDiagnosis,
    finder: SectionFinder | None = None,
    history: Results | None = None,
) -> Guidance | None:
    """What is advised on the case's target; None if it has none. finder: indexed documents. history: own results."""
    finding = diagnosis.target
    if finding is None:
        return None
    facts = _situation(workload, gpu, profile).facts()
    counters = {**facts, **known_values(profile)}
    return guidance_for(finding.bottleneck, counters, gpu.arch, finding.bound, finder, history)


def known_values(profile: CaseProfile) -> dict[str, float]:
    """Known counters of the launch that is judged, and how many launches there are."""
    counters = {name: counter.value for name, counter in completed(profile.main.counters).items()}
    return {**counters, "launches": float(profile.launch_count)}


def _situation(workload: Workload, gpu: GpuSpec, profile: CaseProfile) -> Situation:
    case = next(case for case in workload.cases if case.name == profile.case)
    return situation_of(workload, case, gpu, profile.time_us)
