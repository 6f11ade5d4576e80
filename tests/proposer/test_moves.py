"""What each move says about each kernel of the corpus, and how some rewritten kernels read."""

from dataclasses import replace

import pytest

from proposer.corpus import CORPUS, Entry
from warpwright.candidate.candidate import CaseOverride, Launch
from warpwright.candidate.source import parse_source
from warpwright.hardware import load_gpu
from warpwright.proposer.strategist.moves import (
    block_tunable,
    grid_stride,
    launch_bounds,
    restrict,
    share_row,
    swap_axes,
    unroll,
    vectorise,
)
from warpwright.proposer.strategist.moves.registry import MOVES
from warpwright.proposer.strategist.rewriting.move import Change, Refusal
from warpwright.proposer.strategist.rewriting.subject import Subject, subject_of

ENTRIES = {entry.name: entry for entry in CORPUS}
STRUCTURAL = {
    "softmax": {"warp_per_row", "block_per_row", "vectorise"},
    "softmax_in_place": {"warp_per_row", "block_per_row", "vectorise"},
    "layernorm": {"warp_per_row", "block_per_row", "vectorise"},
    "row_extrema": {"warp_per_row", "block_per_row", "vectorise"},
    "gemv": {"warp_per_row", "block_per_row", "vectorise"},
    "column_sum": set(),
    "row_argmax": set(),
    "row_scan": set(),
    "two_pass_rows": {"warp_per_row", "block_per_row", "vectorise"},
    "transpose": {"shared_tile_transpose"},
    "transposed_axes": {"swap_axes"},
    "matmul": {"shared_tile_matmul", "vectorise"},
    "matmul_transposed": {"shared_tile_matmul", "vectorise"},
    "reduce_sum": {"privatise_reduction", "vectorise", "grid_stride"},
    "moments": {"privatise_reduction", "vectorise", "grid_stride"},
    "histogram": {"shared_histogram", "vectorise", "grid_stride"},
    "saxpy": {"vectorise", "grid_stride"},
    "relu_u8": {"vectorise", "grid_stride"},
    "difference": {"vectorise", "grid_stride"},
}
REFINING = {"block_tunable", "unroll", "launch_bounds", "restrict"}
CARRIED = "is carried from one iteration to the next and is no plain sum, product, minimum or maximum"
SCATTERED = "no loop runs along contiguous elements, so lanes that share it would not read side by side"
REFUSALS = [
    ("row_argmax", "warp_per_row", f"line 6: the loop cannot be shared: 'best' {CARRIED}"),
    ("row_scan", "block_per_row", f"line 5: the loop cannot be shared: 'sum' {CARRIED}"),
    ("column_sum", "warp_per_row", SCATTERED),
    ("transpose", "swap_axes", "1 access(es) are strided along x and 1 would be along y"),
    ("histogram", "privatise_reduction", "an atomic goes to a place that depends on the element"),
    ("reduce_sum", "shared_histogram", "the atomics are not all on one array of bins"),
    ("softmax", "grid_stride", "each thread has a loop's worth of work already"),
    ("layernorm", "block_tunable", "the block is tunable already"),
    ("gemv", "unroll", "no innermost counted loop without a pragma whose length is unknown at compile time"),
]  # fmt: skip


def subject(name: str) -> Subject:
    workload = ENTRIES[name].workload()
    return subject_of(workload.initial, 0, workload, load_gpu("h200"), None)


def rewritten(result: Change | Refusal) -> Change:
    assert isinstance(result, Change), result
    return result


def test_every_kernel_of_the_corpus_has_a_row() -> None:
    assert set(STRUCTURAL) == set(ENTRIES)


@pytest.mark.parametrize("entry", CORPUS, ids=lambda e: e.name)
def test_structural_moves_that_apply(entry: Entry) -> None:
    applied = {m.name for m in MOVES if isinstance(m.rewrite(subject(entry.name)), Change)}
    assert applied - REFINING == STRUCTURAL[entry.name]


@pytest.mark.parametrize(("kernel", "move", "reason"), REFUSALS, ids=lambda v: v if " " not in v else "")
def test_refusals_name_the_reason(kernel: str, move: str, reason: str) -> None:
    chosen = next(m for m in MOVES if m.name == move)
    assert chosen.rewrite(subject(kernel)) == Refusal(reason)


@pytest.mark.parametrize("entry", CORPUS, ids=lambda e: e.name)
@pytest.mark.parametrize("move", MOVES, ids=lambda m: m.name)
def test_changes_are_complete(entry: Entry, move) -> None:  # type: ignore[no-untyped-def]
    result = move.rewrite(subject(entry.name))
    if isinstance(result, Refusal):
        assert result.reason
        return
    assert result.text
    assert result.promise >= 1
    assert not parse_source(result.candidate.source).problems
    assert result.candidate != entry.workload().initial
    assert all(len(set(values)) == len(values) > 0 for values in result.candidate.tunables.values())


def test_restrict_adds_const_only_where_nothing_is_written() -> None:
    change = rewritten(restrict.MOVE.rewrite(subject("saxpy")))
    assert "saxpy(const float* __restrict__ x, float* __restrict__ y, float a, int n)" in change.candidate.source


def test_a_warp_shares_the_row_of_gemv() -> None:
    change = rewritten(share_row.WARP.rewrite(subject("gemv")))
    assert change.candidate.source.split('extern "C"')[1] == GEMV_BY_LANES
    launch = Launch("gemv", ("ceil_div(rows * LANES, BLOCK)",), ("BLOCK",))
    assert change.candidate.plan.launches == (launch,)
    assert dict(change.candidate.tunables) == {"BLOCK": (256, 128, 512, 1024, 64, 32), "LANES": (32, 16, 8, 4)}


GEMV_BY_LANES = """ __global__ void gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int rows, int cols, float alpha) {
    const int lane = threadIdx.x % LANES;
    int row = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
    if (row < rows) {
        float dot = 0.0f;
        float dot_part = 0;
#pragma unroll 4
        for (int j = lane; j < cols; j += LANES) dot_part = fmaf(a[(size_t)row * cols + j], __ldg(&x[j]), dot_part);
        dot += lanes_sum(dot_part);
        if (lane == 0) y[row] += alpha * dot;
    }
}
"""  # noqa: E501


def test_waiting_stands_between_loops_that_exchange_elements() -> None:
    source = rewritten(share_row.BLOCK.rewrite(subject("two_pass_rows"))).candidate.source
    body = source[source.index("extern") :]
    assert body.count("__syncthreads();") == 4


def test_swapped_axes_keep_every_thread_on_its_element() -> None:
    change = rewritten(swap_axes.MOVE.rewrite(subject("transposed_axes")))
    assert "int row = blockIdx.y * blockDim.y + threadIdx.y;" in change.candidate.source
    assert change.candidate.plan.launches[0].grid == ("ceil_div(cols, 16)", "ceil_div(rows, 16)")


def test_a_pragma_has_a_line_of_its_own_and_goes_with_its_loop() -> None:
    workload = ENTRIES["saxpy"].workload()
    head = "__global__ void saxpy(const float* x, float* y, float a, int n)"
    text = head + " { float s = 0;%sfor (int i = 0; i < n; ++i) s += x[i]; }"
    bare, marked = (
        subject_of(replace(workload.initial, source=text % gap), 0, workload, load_gpu("h200"), None)
        for gap in (" ", "\n#pragma unroll 2\n")
    )
    assert "\n#pragma unroll UNROLL\n" in rewritten(unroll.MOVE.rewrite(bare)).candidate.source
    assert isinstance(unroll.MOVE.rewrite(marked), Refusal)
    assert "#pragma unroll 2" not in rewritten(vectorise.MOVE.rewrite(marked)).candidate.source


def test_launch_bounds_follow_a_later_change_of_the_block() -> None:
    bounded = rewritten(launch_bounds.MOVE.rewrite(subject("softmax"))).candidate
    assert "__launch_bounds__(128, MIN_BLOCKS)" in bounded.source
    workload = ENTRIES["softmax"].workload()
    shared = rewritten(share_row.BLOCK.rewrite(subject_of(bounded, 0, workload, load_gpu("h200"), None))).candidate
    assert "__launch_bounds__((BLOCK), MIN_BLOCKS)" in shared.source


def test_a_grid_rounded_up_by_another_rule_is_kept_whole() -> None:
    workload = ENTRIES["saxpy"].workload()
    plan = workload.initial.plan
    odd = Launch("saxpy", ("(n + 255) // 256",), ("256",))
    changed = type(workload.initial)(workload.initial.source, type(plan)((odd,)))
    result = rewritten(block_tunable.MOVE.rewrite(subject_of(changed, 0, workload, load_gpu("h200"), None)))
    assert result.candidate.plan.launches[0].grid == ("ceil_div(((n + 255) // 256) * 256, BLOCK)",)


def test_a_case_with_its_own_grid_keeps_the_launch_shape() -> None:
    workload = ENTRIES["saxpy"].workload()
    plan = workload.initial.plan
    own = type(plan)(plan.launches, overrides={"1000": CaseOverride(grid=("7",))})
    changed = type(workload.initial)(workload.initial.source, own)
    result = grid_stride.MOVE.rewrite(subject_of(changed, 0, workload, load_gpu("h200"), None))
    assert result == Refusal("a case overrides grid, block or shared memory")


def test_values_that_a_case_had_for_tunables_that_are_gone_fall_away() -> None:
    workload = ENTRIES["layernorm"].workload()
    case = workload.cases[0].name
    own = replace(workload.initial.plan, overrides={case: CaseOverride(point={"BLOCK": 1, "GONE": 3})})
    tuned = replace(workload.initial, plan=own, tunables={"BLOCK": (128, 1), "GONE": (3,)})
    made = rewritten(share_row.BLOCK.rewrite(subject_of(tuned, 0, workload, load_gpu("h200"), None))).candidate
    assert "GONE" not in made.tunables
    assert made.plan.overrides == {}, "an override that is left without anything is none: identities would differ by it"
