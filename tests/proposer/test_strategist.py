"""The strategist decides from the record alone: order, once per source, dropped when refuted, tuned points, None at the end."""

from collections.abc import Mapping, Sequence

import pytest

from proposer.corpus import CORPUS
from warpwright.candidate.candidate import Candidate
from warpwright.device.protocol import TimeSource, Timing
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.hardware import load_gpu
from warpwright.proposer.protocol import Proposal, SearchState
from warpwright.proposer.registry import open_proposer
from warpwright.proposer.strategist import Strategist
from warpwright.proposer.strategist.expectation import contradicted, movements
from warpwright.record.attempt import Attempt, Hypothesis, TuningPoint
from warpwright.workload.model import CaseKind

WORKLOAD = {entry.name: entry.workload() for entry in CORPUS}["softmax"]


def evaluation(
    outcome: Outcome, time_us: float | None, counters: Mapping[str, float] | None = None, source: str = "estimated"
) -> Evaluation:
    case = WORKLOAD.cases[-1].name
    timing = None
    if time_us is not None:
        timing = Timing(TimeSource(source), "NVIDIA H200", (time_us,), time_us, 0.15, counters=counters or {})
    cases = (CaseEvaluation(case, CaseKind.PERF, outcome.correct, timing=timing),)
    return Evaluation(outcome, None, "", cases, None, geomean_us=time_us if outcome.correct else None)


class Record:
    """A search as the loop would keep it: proposals become attempts with the outcome a test gives them."""

    def __init__(self, time_us: float = 100.0) -> None:
        self.attempts = [Attempt(1, 0, "workload", WORKLOAD.initial, None, evaluation(Outcome.PASSED, time_us))]
        self.incumbent = 1
        self.tuned: dict[int, Sequence[TuningPoint]] = {}

    def state(self) -> SearchState:
        return SearchState(WORKLOAD, load_gpu("h200"), tuple(self.attempts), self.incumbent, self.tuned, seed=0)

    def propose(self, proposer: Strategist | None = None) -> Proposal | None:
        return (proposer or Strategist()).propose(self.state())

    def finish(self, proposal: Proposal, result: Evaluation) -> None:
        number = len(self.attempts) + 1
        self.attempts.append(
            Attempt(number, proposal.parent, proposal.proposer, proposal.candidate, proposal.hypothesis, result)
        )
        if result.outcome is Outcome.IMPROVED:
            self.incumbent = number

    def run(self, result: Evaluation) -> Proposal:
        proposal = self.propose()
        assert proposal is not None
        self.finish(proposal, result)
        return proposal


def test_the_most_promising_move_comes_first_and_the_same_record_gives_the_same_proposal() -> None:
    record = Record()
    first, again = record.propose(), record.propose(Strategist())
    assert first is not None
    assert first == again
    assert (first.hypothesis.technique, first.parent, first.proposer) == ("block_per_row", 1, "builtin")


def test_every_move_is_tried_once_and_then_nothing_is_left() -> None:
    record = Record()
    techniques = []
    while (proposal := record.propose()) is not None:
        techniques.append(proposal.hypothesis.technique)
        record.finish(proposal, evaluation(Outcome.SLOWER, 200.0))
    assert sorted(techniques) == sorted(
        ["block_per_row", "warp_per_row", "vectorise", "unroll", "block_tunable", "restrict", "launch_bounds"]
    )


def test_without_an_incumbent_there_is_nothing_to_build_on() -> None:
    record = Record()
    record.incumbent = 0
    assert record.propose() is None


def test_a_new_incumbent_is_built_upon_and_alternatives_to_it_are_kept_in_mind() -> None:
    record = Record()
    record.run(evaluation(Outcome.IMPROVED, 14.0))
    following = []
    while (proposal := record.propose()) is not None:
        following.append((proposal.hypothesis.technique, proposal.parent))
        record.finish(proposal, evaluation(Outcome.SLOWER, 30.0))
    assert following == [("vectorise", 2), ("unroll", 2), ("launch_bounds", 2), ("warp_per_row", 1)]


def test_a_move_that_failed_verification_is_dropped_everywhere() -> None:
    record = Record()
    record.run(evaluation(Outcome.IMPROVED, 14.0))
    failed = record.run(evaluation(Outcome.WRONG_RESULT, None)).hypothesis.technique
    record.incumbent = 1
    later = []
    while (proposal := record.propose()) is not None:
        later.append(proposal.hypothesis.technique)
        record.finish(proposal, evaluation(Outcome.SLOWER, 200.0))
    assert failed not in later


def test_a_tie_that_is_ahead_is_built_upon() -> None:
    record = Record()
    record.run(evaluation(Outcome.IMPROVED, 14.0))
    tie = record.run(evaluation(Outcome.TIE, 13.0))
    following = record.propose()
    assert following is not None
    assert following.parent == 3
    assert tie.hypothesis.technique != following.hypothesis.technique


def tuned(*times: float | None) -> list[TuningPoint]:
    return [TuningPoint({"BLOCK": 32 * (i + 1)}, {}, "passed" if t else "crash", t) for i, t in enumerate(times)]


def proposals_of_the_tuner(record: Record, result: Evaluation) -> list[int]:
    found = []
    while (proposal := record.propose(Strategist(moves=()))) is not None:
        assert proposal.hypothesis.technique == "tuning"
        found.append(proposal.candidate.values()["BLOCK"])
        record.finish(proposal, result)
    return found


def test_measured_points_within_the_noise_become_attempts_at_most_five() -> None:
    record = Record()
    record.attempts[0] = Attempt(
        1, 0, "workload", WORKLOAD.initial, None, evaluation(Outcome.PASSED, 100.0, source="measured")
    )
    record.tuned[1] = tuned(90.0, None, 110.0, 80.0, 95.0, 99.0, 105.0, 300.0)
    assert proposals_of_the_tuner(record, evaluation(Outcome.TIE, 100.0, source="measured")) == [128, 32, 160, 192, 224]


def test_estimated_points_must_beat_the_incumbent() -> None:
    record = Record()
    record.tuned[1] = tuned(90.0, None, 110.0, 80.0)
    assert proposals_of_the_tuner(record, evaluation(Outcome.WRONG_RESULT, None)) == [128, 32]


def test_launch_settings_of_a_case_reach_the_candidate() -> None:
    record = Record()
    record.tuned[1] = [TuningPoint({"BLOCK": 64}, {"130x257": {"BLOCK": "32"}}, "passed", 50.0)]
    proposal = record.propose()
    assert proposal is not None
    assert proposal.candidate.values("130x257")["BLOCK"] == 32
    assert (
        proposal.hypothesis.text
        == "The search over 1 points found BLOCK=64, with launch settings of its own for 130x257."
    )


EXPECTS = Hypothesis("m", "", {"instructions": 0.5, "occupancy_theoretical_ratio": 1.5})
MOVED = [
    ("both as expected", Outcome.TIE, {"instructions": 60.0, "occupancy_theoretical_ratio": 0.5}, False),
    ("one as expected", Outcome.SLOWER, {"instructions": 60.0, "occupancy_theoretical_ratio": 0.2}, False),
    ("both the other way", Outcome.SLOWER, {"instructions": 130.0, "occupancy_theoretical_ratio": 0.2}, True),
    ("both the other way, but faster", Outcome.IMPROVED, {"instructions": 130.0, "occupancy_theoretical_ratio": 0.2}, False),
    ("within the noise", Outcome.TIE, {"instructions": 101.0, "occupancy_theoretical_ratio": 0.4}, False),
    ("unknown", Outcome.TIE, {}, False),
    ("wrong result", Outcome.WRONG_RESULT, {}, True),
    ("launch limits", Outcome.LAUNCH_ERROR, {}, False),
]  # fmt: skip


@pytest.mark.parametrize(("outcome", "counters", "refuted"), [r[1:] for r in MOVED], ids=[r[0] for r in MOVED])
def test_counters_bear_an_expectation_out_or_contradict_it(
    outcome: Outcome, counters: Mapping[str, float], refuted: bool
) -> None:
    old = {"instructions": 100.0, "occupancy_theoretical_ratio": 0.4}
    parent = Attempt(1, 0, "p", WORKLOAD.initial, None, evaluation(Outcome.PASSED, 10.0, old))
    attempt = Attempt(2, 1, "p", WORKLOAD.initial, EXPECTS, evaluation(outcome, 10.0, counters))
    assert contradicted(attempt, parent) == refuted
    assert movements(attempt, parent) == {n: pytest.approx(counters[n] / old[n]) for n in counters}


def test_a_kernel_that_a_macro_makes_is_left_alone() -> None:
    record = Record()
    source = '#define KERNEL(n) extern "C" __global__ void n(float* x)\nKERNEL(softmax) { x[0] = 1; }\n'
    candidate = Candidate(source, WORKLOAD.initial.plan)
    record.attempts[0] = Attempt(1, 0, "workload", candidate, None, evaluation(Outcome.PASSED, 100.0))
    assert record.propose() is None


@pytest.mark.parametrize("name", ["builtin", "tuner"])
def test_proposers_by_name(name: str) -> None:
    proposer = open_proposer(name)
    assert proposer.name == "builtin"
    assert proposer.repair(Record().state(), 1) is None
