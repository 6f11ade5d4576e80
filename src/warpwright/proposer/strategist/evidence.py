"""Which cards an attempt's diagnosis speaks for: those of its target first, then those of the runners-up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from warpwright.evaluation.judgement import known_values
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.knowledge.field_guide.guide import guidance_for
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, Finding
from warpwright.profiler.profile import CaseProfile
from warpwright.proposer.protocol import SearchState
from warpwright.record.attempt import Attempt


@dataclass(frozen=True, slots=True)
class Support:
    """A finding that one of a move's cards treats. rank: 0 = the target, then the runners-up. citations: ids."""

    rank: int
    finding: Finding
    card: str
    citations: tuple[str, ...]


class Evidence:
    """What is known of one attempt's bottlenecks, and what is advised on each."""

    def __init__(self, advised: Sequence[tuple[Finding, Guidance]]) -> None:
        self._advised = advised

    @property
    def ranks(self) -> int:
        """Findings that were looked at; a move without support comes after all of them."""
        return len(self._advised)

    def support(self, cards: Sequence[str]) -> Support | None:
        """The first finding that one of these cards treats, with the card that is advised most; None: none does."""
        for rank, (finding, guidance) in enumerate(self._advised):
            for advice in guidance.advice:
                if advice.card.id in cards and not advice.card.host:
                    citations = tuple(citation.id for citation in advice.citations)
                    return Support(rank, finding, advice.card.id, citations)
        return None


def evidence_on(state: SearchState, attempt: Attempt) -> Evidence:
    """The diagnosis of an attempt with guidance on its findings; empty where nothing is known.

    Guidance on the target is the recorded one; what is advised on a runner-up cites nothing, for nothing was looked up.
    """
    diagnosis = state.diagnoses.get(attempt.number)
    target = None if diagnosis is None else diagnosis.target
    if diagnosis is None or target is None:
        return Evidence(())
    counters = target_counters(diagnosis, state.profiles.get(attempt.number, ()))
    advised = []
    for finding in (target.target, *target.runners_up):
        if finding is None:
            continue
        recorded = state.guidance.get(attempt.number)
        if recorded is None or recorded.bottleneck != finding.bottleneck:
            recorded = _uncited(guidance_for(finding.bottleneck, counters, state.gpu.arch, finding.bound))
        advised.append((finding, recorded))
    return Evidence(advised)


def target_counters(diagnosis: AttemptDiagnosis, profiles: Sequence[CaseProfile]) -> Mapping[str, float]:
    """Known counters of the launch that was judged, on the target case; empty where nothing was counted."""
    profile = next((p for p in profiles if p.case == diagnosis.target_case), None)
    return {} if profile is None else known_values(profile)


def _uncited(guidance: Guidance) -> Guidance:
    advice = tuple(replace(each, citations=()) for each in guidance.advice)
    return replace(guidance, advice=advice)
