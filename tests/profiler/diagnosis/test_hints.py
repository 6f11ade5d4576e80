"""A hint never contradicts what stands beside it, and what the cost model knows is said where nothing else applies."""

import pytest

from profiler.diagnosis.profiles import profile_of
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.finding import CaseDiagnosis
from warpwright.profiler.diagnosis.situation import Situation

PIPES = {f"pipe_{name}_ratio": 0.05 for name in ("alu", "fma", "fp64", "xu", "tensor", "lsu")}
QUIET = {
    "dram_throughput_ratio": 0.1,
    "l2_throughput_ratio": 0.1,
    "l1_throughput_ratio": 0.1,
    "sm_throughput_ratio": 0.1,
    "issue_active_ratio": 0.1,
    "waves_per_sm": 8.0,
    **PIPES,
}


def found(**counters: float) -> CaseDiagnosis:
    return diagnose_case(profile_of(QUIET | counters), Situation())


@pytest.mark.parametrize(
    ("counter", "bottleneck", "words"),
    [
        ("dram_throughput_ratio", "dram_bound", "DRAM comes closest, at 45 %"),
        ("l2_throughput_ratio", "l2_bound", "L2 comes closest, at 45 %"),
        ("l1_throughput_ratio", "l1_lsu_bound", "L1 and the load-store pipe come closest, at 45 %"),
        ("pipe_lsu_ratio", "l1_lsu_bound", "L1 and the load-store pipe come closest, at 45 %"),
        ("issue_active_ratio", "issue_bound", "the schedulers come closest and issue in 45 %"),
        ("pipe_fma_ratio", "pipe_bound:fma", "the fma pipe comes closest and is in use 45 %"),
    ],
)
def test_the_unit_that_comes_closest_is_named(counter: str, bottleneck: str, words: str) -> None:
    diagnosis = found(**{counter: 0.45})
    (hint,) = diagnosis.findings
    assert (hint.bottleneck, hint.hint, diagnosis.limited) == (bottleneck, True, False)
    assert hint.text.startswith("No unit is at its limit; ")
    assert words in hint.text


@pytest.mark.parametrize("busier", ["sm_throughput_ratio", "pipe_lsu_ratio", "pipe_tensor_ratio", "pipe_fma_ratio"])
def test_dram_does_not_come_closest_where_another_unit_is_busier(busier: str) -> None:
    diagnosis = found(dram_throughput_ratio=0.35, **{busier: 0.6})
    assert "dram_bound" not in {finding.bottleneck for finding in diagnosis.findings}


@pytest.mark.parametrize(
    ("counters", "limit"),
    [
        ({"pipe_tex_ratio": 0.89}, "pipe_bound:tex"),  # its use is in no list of units that hints look at
        ({"threads_per_instruction": 12.0}, "divergence"),
    ],
)
def test_beside_a_cause_or_a_symptom_no_hint_says_that_nothing_is_at_its_limit(
    counters: dict[str, float], limit: str
) -> None:
    diagnosis = found(dram_throughput_ratio=0.35, **counters)
    assert [finding.bottleneck for finding in diagnosis.findings] == [limit]
    assert "dram_bound" in {finding.bottleneck for finding in found(dram_throughput_ratio=0.35).findings}


@pytest.mark.parametrize("counter", ["dram_throughput_ratio", "issue_active_ratio", "pipe_fma_ratio"])
def test_a_unit_that_only_comes_closest_bounds_no_gain_but_the_floor_does(counter: str) -> None:
    counters = profile_of(QUIET | {counter: 0.45})
    assert diagnose_case(counters, Situation()).findings[0].bound is None
    held = Situation(time_us=40.0, floor_us=10.0, launch_us=2.6)
    assert diagnose_case(counters, held).findings[0].bound == 4.0


def test_other_hints_stand_beside_a_limit() -> None:
    diagnosis = found(dram_throughput_ratio=0.7, grid_blocks=140, sm_count=132)
    assert [(f.bottleneck, f.hint) for f in diagnosis.findings] == [("dram_bound", False), ("grid_too_small", True)]


def test_a_full_queue_is_told_by_the_waiting_and_a_busy_l1_by_its_use() -> None:
    stalls = ("long_scoreboard", "short_scoreboard", "mio_throttle", "math_pipe_throttle", "barrier", "drain", "wait")
    waits = {f"stall_{name}_ratio": 0.05 for name in (*stalls, "not_selected", "no_instruction")}
    (queue,) = found(stall_lg_throttle_ratio=0.5, **waits).findings
    assert (queue.bottleneck, queue.score) == ("l1_lsu_bound", 0.5)
    assert queue.text.startswith("Warps wait 50 % of their time for room in the queue")
    assert "L1 works" not in queue.text
    (busy,) = found(pipe_lsu_ratio=0.8, stall_lg_throttle_ratio=0.5, **waits).findings
    assert busy.text == "L1 works at 10 % of its peak, the load-store pipe at 80 %."


def test_where_nothing_applies_the_start_of_blocks_is_named_if_the_model_knows_it_for_the_limit() -> None:
    """Terms of resources that a kernel does not use are missing."""
    model = {"model_issue_ratio": 0.06, "model_latency_ratio": 0.12, "grid_blocks": 65536}
    (hint,) = found(model_blocks_ratio=0.87, **model).findings
    assert (hint.bottleneck, hint.hint) == ("block_starts", True)
    assert "starting 65.5 k blocks takes 87 % of the time, by the cost model" in hint.text
    assert found(model_blocks_ratio=0.4, **model).findings == ()
    assert found(model_blocks_ratio=0.6, **(model | {"model_latency_ratio": 0.7})).findings == ()


def test_hardware_has_no_counter_for_it_and_is_not_said_to_lack_one() -> None:
    assert "block_starts" not in found().not_evaluated
