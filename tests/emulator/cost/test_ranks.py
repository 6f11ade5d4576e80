"""The cost model on what the emulator counted for 181 launches and what an H200 took for them; both are committed."""

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from benchmarks.cost_model.judge import judge_all

        return judge_all()


def test_estimates_rank_and_size_the_measured_times(result: dict[str, Any]) -> None:
    summary = result["variants"]["summary"]
    assert summary["launches"] == 181
    assert summary["spearman"] >= 0.985
    assert summary["median_family_kendall"] >= 0.88
    assert summary["mean_factor"] <= 1.20


def test_held_out_kernels_are_ranked_and_sized_too(result: dict[str, Any]) -> None:
    summary = result["held_out"]["summary"]
    assert summary["launches"] == 20
    assert summary["spearman"] >= 0.98
    assert summary["mean_factor"] <= 1.25


def test_the_estimated_best_of_a_family_is_nearly_its_best(result: dict[str, Any]) -> None:
    losses = [family["chosen_over_best"] for family in result["variants"]["families"]]
    assert max(losses) <= 1.25
    assert sum(loss <= 1.05 for loss in losses) >= 0.9 * len(losses)


def test_no_estimate_is_below_what_dram_or_the_launch_needs(result: dict[str, Any]) -> None:
    for launch in result["variants"]["launches"]:
        terms = launch["terms_us"]
        assert launch["estimated_us"] + 0.01 >= terms["launch"] + terms.get("dram", 0.0)


@pytest.mark.parametrize(
    ("slow", "fast", "least"),
    [
        ("softmax 512x4096/softmax_thread/4/128", "softmax 512x4096/softmax_warp/64/256", 20),
        ("softmax 512x4096/softmax_thread/16/32", "softmax 512x4096/softmax_block/512/256", 20),
        ("softmax 8192x4096/softmax_thread/64/128", "softmax 8192x4096/softmax_block/8192/256", 8),
        ("softmax 8192x4096/softmax_block/8192/256", "softmax 8192x4096/softmax_block4/8192/256", 1.15),
        ("rmsnorm 512x4096/rmsnorm_thread/4/128", "rmsnorm 512x4096/rmsnorm_block/512/512", 50),
        ("gemv 8192x4096/gemv_thread/64/128", "gemv 8192x4096/gemv_warp/2048/128", 5),
        ("transpose 1024x2048/transpose_direct/64x128/32x8", "transpose 1024x2048/transpose_padded/64x32/32x8", 2.5),
        ("transpose 8192x8192/transpose_tile/256x256/32x8", "transpose 8192x8192/transpose_padded/256x256/32x8", 1.3),
        ("sum 4194304/sum_atomic/16384/256", "sum 4194304/sum_warp/16384/256", 20),
        ("sum 4194304/sum_warp/16384/256", "sum 4194304/sum_block/4096/256", 10),
        ("histogram 4194304 byte/histogram_global/16384/256", "histogram 4194304 byte/histogram_words/1056/256", 30),
        ("matmul 256/matmul_columns/8x32/32x8", "matmul 256/matmul_tile16/16x16/16x16", 4),
        ("matmul 1024/matmul_rows/64x64/16x16", "matmul 1024/matmul_registers/16x16/256", 2),
        ("saxpy 4194304/saxpy/131072/32", "saxpy 4194304/saxpy/16384/256", 3),
        ("saxpy 4194304/saxpy_chunk/512/256", "saxpy 4194304/saxpy/16384/256", 3),
        ("saxpy 4194304/saxpy_loop/16/256", "saxpy 4194304/saxpy_loop/1056/256", 15),
        ("saxpy 67108864/saxpy/262144/256", "saxpy 67108864/saxpy4/65536/256", 1.1),
    ],
    ids=lambda value: value.split("/", 1)[1] if isinstance(value, str) else None,
)
def test_what_a_tuner_must_be_told(result: dict[str, Any], slow: str, fast: str, least: float) -> None:
    times = {
        launch["name"]: (launch["estimated_us"], launch["measured_us"]) for launch in result["variants"]["launches"]
    }
    for index in range(2):
        assert times[slow][index] >= least * times[fast][index]
