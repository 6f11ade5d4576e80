"""What one prompt is about: the attempt to start from, the finding to treat, and who will read it."""

from dataclasses import dataclass

from warpwright.candidate.candidate import Candidate
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.knowledge.field_guide.guide import guidance_for
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, CaseDiagnosis, Finding
from warpwright.profiler.diagnosis.situation import situation_of
from warpwright.proposer.protocol import SearchState
from warpwright.proposer.strategist.evidence import target_counters
from warpwright.record.attempt import Attempt
from warpwright.workload.model import Workload


@dataclass(frozen=True, slots=True)
class Subject:
    """The parent of the next candidate.

    number: of that attempt; 0 = the workload's initial kernel before anything was evaluated. tools: whether the reader can
    look things up. bottleneck: class of the finding to treat; None = the target of the diagnosis.
    """

    state: SearchState
    number: int
    tools: bool
    bottleneck: str | None = None

    @property
    def workload(self) -> Workload:
        """What must be computed."""
        return self.state.workload

    @property
    def attempt(self) -> Attempt | None:
        """The parent; None before anything was evaluated."""
        return self.state.attempt(self.number) if self.number else None

    @property
    def candidate(self) -> Candidate:
        """Its source and launch plan."""
        attempt = self.attempt
        return self.workload.initial if attempt is None else attempt.candidate

    @property
    def diagnosis(self) -> AttemptDiagnosis | None:
        """What its counters say."""
        return self.state.diagnoses.get(self.number)

    @property
    def case(self) -> CaseDiagnosis | None:
        """The diagnosis of its target case."""
        return None if self.diagnosis is None else self.diagnosis.target

    @property
    def finding(self) -> Finding | None:
        """The finding to treat; None where no class applies or nothing is known."""
        if self.case is None:
            return None
        named = (finding for finding in self.case.findings if finding.bottleneck == self.bottleneck)
        return next(named, self.case.target)

    def counters(self) -> dict[str, float]:
        """Known counters of the launch that was judged, on the target case."""
        if self.diagnosis is None:
            return {}
        return dict(target_counters(self.diagnosis, self.state.profiles.get(self.number, ())))

    def guidance(self) -> Guidance | None:
        """What is advised on the finding: as recorded, or looked up now if another finding was looked up."""
        finding, case = self.finding, self.case
        if finding is None or case is None:
            return None
        recorded = self.state.guidance.get(self.number)
        if recorded is not None and recorded.bottleneck == finding.bottleneck:
            return recorded
        situation = situation_of(self.workload, self.workload.case(case.case), self.state.gpu, case.time_us)
        known = {**situation.facts(), **self.counters()}
        return guidance_for(finding.bottleneck, known, self.state.gpu.arch, finding.bound)
