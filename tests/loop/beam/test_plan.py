"""From which attempts and for which findings a step of the beam proposes."""

from dataclasses import replace

import pytest

from loop.beam.wide import kernel, write_wide
from warpwright.device.protocol import TimeSource, Timing
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.hardware import load_gpu
from warpwright.loop.beam.plan import floor_share, foci, parents, treats
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, CaseDiagnosis, Finding
from warpwright.proposer.protocol import Focus, Proposal, SearchState
from warpwright.record.attempt import Attempt, Hypothesis
from warpwright.workload.model import CaseKind, Workload


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return write_wide(tmp_path_factory.mktemp("wide") / "tiny")


def attempt(
    workload: Workload,
    number: int,
    times_us: tuple[float, ...],
    label: str = "tie",
    structure: int | None = None,
    floor_us: float | None = 1.0,
) -> Attempt:
    """An attempt with a structure of its own, whose geometric mean is taken as the first time."""
    cases = tuple(
        CaseEvaluation(
            f"case{n}",
            CaseKind.PERF,
            passed=True,
            timing=Timing(TimeSource.ESTIMATED, "H200", (us,), us, 0.1),
            floor_us=floor_us,
        )
        for n, us in enumerate(times_us)
    )
    outcome, _, reason = label.partition(".")
    geomean = times_us[0] if Outcome(outcome).correct else None
    evaluation = Evaluation(Outcome(outcome), reason or None, "", cases, None, geomean_us=geomean)
    source = kernel(number if structure is None else structure)
    candidate = replace(workload.initial, source=source)
    return Attempt(number, 0, "test", candidate, Hypothesis("idea", "words"), evaluation)


def numbers(attempts: tuple[Attempt, ...]) -> list[int]:
    return [attempt.number for attempt in attempts]


def test_the_incumbent_comes_first_then_the_best_in_its_worst_case_then_the_fastest(workload: Workload) -> None:
    made = [
        attempt(workload, 1, (40.0, 50.0), "passed"),
        attempt(workload, 2, (10.0, 90.0), "improved"),
        attempt(workload, 3, (9.9, 95.0)),
        attempt(workload, 4, (20.0, 20.0), "slower"),
    ]
    assert numbers(parents(made, 2, 1)) == [2]
    assert numbers(parents(made, 2, 2)) == [2, 4]
    assert numbers(parents(made, 2, 3)) == [2, 4, 3]
    assert numbers(parents(made, 2, 9)) == [2, 4, 3, 1]


def test_parents_are_correct_differ_in_structure_and_are_no_repeats(workload: Workload) -> None:
    made = [
        attempt(workload, 1, (40.0,), "passed"),
        attempt(workload, 2, (10.0,), "improved"),
        attempt(workload, 3, (11.0,), structure=2),
        attempt(workload, 4, (12.0,), "slower.duplicate"),
        attempt(workload, 5, (1.0,), "wrong_result"),
        attempt(workload, 6, (13.0,), "slower"),
    ]
    assert numbers(parents(made, 2, 3)) == [2, 6, 1]
    assert parents(made, 0, 3) == ()


def test_unknown_floors_leave_the_order_by_time(workload: Workload) -> None:
    made = [attempt(workload, n, (50.0 - n,), "improved", floor_us=None) for n in (1, 2, 3)]
    assert floor_share(made[0]) is None
    assert numbers(parents(made, 3, 2)) == [3, 2]


def test_main_findings_of_all_parents_come_before_second_ones(workload: Workload) -> None:
    made = [attempt(workload, 1, (40.0,), "passed"), attempt(workload, 2, (10.0,), "improved")]
    state = SearchState(
        workload,
        load_gpu("h200"),
        made,
        2,
        {},
        0,
        diagnoses={2: diagnosed("dram_bound", "low_ilp"), 1: diagnosed("a", "b", "c")},
    )
    assert foci(state, 2, 2) == (Focus(2, "dram_bound"), Focus(1, "a"), Focus(2, "low_ilp"), Focus(1, "b"))
    assert foci(state, 1, 9) == (Focus(2, "dram_bound"), Focus(2, "low_ilp"))
    assert foci(replace(state, diagnoses={}), 2, 2) == (Focus(2), Focus(1))


def test_a_tuned_point_treats_no_finding(workload: Workload) -> None:
    def proposal(technique: str, bottleneck: str | None) -> Proposal:
        return Proposal(workload.initial, Hypothesis(technique, "words", bottleneck=bottleneck), "test", 2)

    assert treats(proposal("vectorise", "dram_bound"), Focus(2, "dram_bound"))
    assert not treats(proposal("vectorise", "dram_bound"), Focus(2, "low_ilp"))
    assert not treats(proposal("vectorise", "dram_bound"), Focus(1, "dram_bound"))
    assert not treats(proposal("tuning", None), Focus(2))


def diagnosed(*bottlenecks: str) -> AttemptDiagnosis:
    findings = tuple(Finding(name, 1.0, (), f"It is {name}.") for name in bottlenecks)
    case = CaseDiagnosis(
        "case0", "scale", "emulator", findings=findings, estimated=True, not_evaluated={}, at_roof=False
    )
    return AttemptDiagnosis((case,), "case0")
