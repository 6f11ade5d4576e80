from dataclasses import replace

from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Finding
from warpwright.profiler.diagnosis.target import target_case


def case(
    name: str, time_us: float | None, floor_us: float | None, bottleneck: str | None = "dram_bound"
) -> CaseDiagnosis:
    findings = () if bottleneck is None else (Finding(bottleneck, 0.5, (), "text"),)
    return CaseDiagnosis(
        case=name,
        entry="kernel",
        tool="emulator",
        estimated=True,
        findings=findings,
        not_evaluated={},
        at_roof=False,
        time_us=time_us,
        floor_us=floor_us,
    )


def test_the_case_farthest_above_its_floor_is_next() -> None:
    assert target_case([case("a", 20, 10), case("b", 50, 10), case("c", 400, 100)]) == "b"


def test_a_launch_bound_case_waits_while_another_is_not() -> None:
    tiny = case("tiny", 4, 0.1, "launch_bound")
    assert target_case([tiny, case("large", 20, 18)]) == "large"
    assert target_case([tiny]) == "tiny"


def test_a_case_at_its_roof_is_last() -> None:
    done = replace(case("done", 100, 10), at_roof=True)
    assert target_case([done, case("open", 12, 11), case("tiny", 4, 0.1, "launch_bound")]) == "open"
    assert target_case([done, case("tiny", 4, 0.1, "launch_bound")]) == "tiny"


def test_a_case_without_a_floor_counts_as_at_its_floor_and_the_first_wins_a_tie() -> None:
    assert target_case([case("unknown", 100, None, None), case("known", 12, 10)]) == "known"
    assert target_case([case("x", None, None), case("y", None, None)]) == "x"
    assert target_case([]) is None
