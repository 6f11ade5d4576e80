from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from warpwright.conditions.language import parse_condition
from warpwright.errors import InputError
from warpwright.knowledge.citation import Citation, Reference
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.knowledge.field_guide.guide import STOP, cards, expected_gain, guidance_for, precedence
from warpwright.knowledge.field_guide.history import Results

COUNTERS = sorted({name for card in cards().values() for name in parse_condition(card.when).names})
CLASSES = sorted({name for card in cards().values() for name in card.classes})
ARCHS = ("sm_70", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120")


class Index:
    """Knows the sections of some books, as an index over documents on this disk would."""

    def __init__(self, *known: str) -> None:
        self.known = known

    def cite(self, reference: Reference) -> Citation | None:
        if reference.book not in self.known:
            return None
        return Citation(
            reference.id, f"book {reference.book}", reference.section, "13.0", None, f"/docs/{reference.book}"
        )


def ids(guidance: Guidance) -> list[str]:
    return [advice.card.id for advice in guidance.advice]


@pytest.mark.parametrize(
    ("bottleneck", "counters", "first"),
    [
        ("launch_bound", {"duration_ns": 4000, "launches": 2}, "FG-02"),
        ("grid_too_small", {"grid_blocks": 32, "sm_count": 132}, "FG-04"),
        (
            "imbalance_tail",
            {
                "grid_blocks": 1320,
                "sm_count": 132,
                "sm_active_cycles_avg": 7,
                "sm_elapsed_cycles": 100,
                "waves_per_sm": 1.1,
            },
            "FG-07",
        ),
        ("uncoalesced", {"global_wasted_ratio": 0.25}, "FG-09"),
        ("bank_conflicts", {"shared_conflict_ratio": 0.25}, "FG-19"),
        ("local_array", {"local_load_instructions": 3, "local_store_instructions": 1, "instructions": 100}, "FG-28"),
        ("register_spill", {"spill_bytes": 64, "occupancy_theoretical_ratio": 0.5}, "FG-102"),
        ("atomics_contention", {"l2_atomic_sectors": 1e6}, "FG-38"),
        ("divergence", {"threads_per_instruction": 20}, "FG-36"),
        ("barrier", {"stall_barrier_ratio": 0.23}, "FG-37"),
        ("pipe_bound:xu", {"pipe_xu_ratio": 0.99, "pipe_fma_ratio": 0.1}, "FG-31"),
        ("pipe_bound:fp64", {"pipe_fp64_ratio": 0.99}, "FG-32"),
        ("pipe_bound:alu", {"pipe_alu_ratio": 0.8}, "FG-29"),
        ("tensor_idle", {"matmul_like": 1, "pipe_tensor_ratio": 0.0}, "FG-33"),
        (
            "dram_bound",
            {"dram_throughput_ratio": 0.65, "dram_read_bytes": 4e9, "dram_write_bytes": 1e9, "unique_bytes": 1e9},
            "FG-13",
        ),
        ("l1_lsu_bound", {"l1_throughput_ratio": 0.9, "global_load_sectors": 1e9, "unique_bytes": 1e6}, "FG-13"),
        (
            "instruction_cache",
            {"stall_no_instruction_ratio": 0.4, "stall_imc_miss_ratio": 0.0, "duration_ns": 1e6},
            "FG-39",
        ),
        ("latency_low_occupancy", {"occupancy_achieved_ratio": 0.2}, "FG-21"),
        (
            "latency_enough_occupancy",
            {"stall_long_scoreboard_ratio": 0.85, "shared_static_bytes": 4096, "shared_dynamic_bytes": 0},
            "FG-26",
        ),
    ],
)
def test_a_class_leads_to_its_cure(bottleneck: str, counters: Mapping[str, float], first: str) -> None:
    guidance = guidance_for(bottleneck, counters, "sm_90")
    assert ids(guidance)[0] == first
    assert guidance.advice[0].applies is True


@given(
    st.sampled_from(CLASSES),
    st.dictionaries(st.sampled_from(COUNTERS), st.floats(0, 100)),
    st.sampled_from(ARCHS),
    st.none() | st.floats(1, 50),
    st.randoms(use_true_random=False),
)
def test_guidance_is_determined_ordered_and_bounded(bottleneck, counters, arch, bound, random) -> None:  # type: ignore[no-untyped-def]
    guidance = guidance_for(bottleneck, counters, arch, bound)
    shuffled = list(counters.items())
    random.shuffle(shuffled)
    assert guidance_for(bottleneck, dict(shuffled), arch, bound) == guidance
    order = [(*precedence(advice, bottleneck), -expected_gain(advice)) for advice in guidance.advice]
    assert order == sorted(order)
    for advice in guidance.advice:
        assert advice.card.treats(bottleneck)
        assert advice.card.runs_on(int(arch.removeprefix("sm_")))
        assert advice.applies is parse_condition(advice.card.when).answer(counters).holds is not False
        assert bound is None or advice.gain_high is None or advice.gain_high <= bound
        assert advice.gain_low is None or advice.gain_high is None or advice.gain_low <= advice.gain_high
        assert advice.citations[0].id == advice.card.id


def test_a_card_whose_condition_fails_is_left_out() -> None:
    assert "FG-19" not in ids(guidance_for("bank_conflicts", {"shared_conflict_ratio": 0.01}, "sm_90"))
    undecided = guidance_for("bank_conflicts", {}, "sm_90")
    assert "FG-19" in ids(undecided)
    assert all(advice.applies is None for advice in undecided.advice)


@pytest.mark.parametrize(
    ("load", "store", "advised"), [(32, 4, True), (5, 22, True), (4, 4, False), (32, 32, False), (128, 32, False)]
)
def test_a_tile_is_advised_where_only_one_side_is_strided(load: float, store: float, advised: bool) -> None:
    counters = {"global_load_bytes_per_sector": load, "global_store_bytes_per_sector": store}
    assert ("FG-11" in ids(guidance_for("uncoalesced", counters, "sm_90"))) == advised


@pytest.mark.parametrize(("registers", "shared", "advised"), [(2, 8, True), (8, 4, False), (16, 16, False)])
def test_launch_bounds_are_advised_where_registers_limit(registers: float, shared: float, advised: bool) -> None:
    counters = {
        "spill_bytes": 0,
        "spill_requests": 0,
        "occupancy_limit_registers_blocks": registers,
        "occupancy_limit_shared_blocks": shared,
        "occupancy_limit_warps_blocks": 8,
        "occupancy_limit_blocks_blocks": 32,
    }
    assert ("FG-22" in ids(guidance_for("latency_low_occupancy", counters, "sm_90"))) == advised


def test_what_only_the_host_can_do_comes_last() -> None:
    guidance = guidance_for("launch_bound", {"duration_ns": 3000}, "sm_90")
    assert ids(guidance) == ["FG-02", "FG-01", "FG-03"]
    assert [advice.applies for advice in guidance.advice] == [None, True, True]


def test_at_the_roof_the_one_advice_is_to_stop() -> None:
    guidance = guidance_for("at_the_roof", {"dram_throughput_ratio": 0.95}, "sm_90")
    assert ids(guidance) == [STOP]
    assert guidance.advice[0].gain_high is None


def test_architectures_limit_the_cards() -> None:
    matmul = {"matmul_like": 1.0, "pipe_tensor_ratio": 0.1}
    assert "FG-35" in ids(guidance_for("tensor_idle", matmul, "sm_90"))
    assert "FG-35" in ids(guidance_for("tensor_idle", matmul, "sm_90a"))
    assert "FG-35" not in ids(guidance_for("tensor_idle", matmul, "sm_100"))
    assert "FG-35" not in ids(guidance_for("tensor_idle", matmul, "sm_80"))


def test_a_gain_is_held_to_what_the_class_can_bring() -> None:
    counters = {"threads_per_instruction": 16.0}
    assert guidance_for("divergence", counters, "sm_90", bound=2.0).advice[0].gain_high == 2.0
    assert guidance_for("divergence", counters, "sm_90").advice[0].gain_high is None


def test_both_ends_of_a_gain_are_held_to_it_so_that_no_range_is_inverted() -> None:
    low = cards()["FG-32"].gain_low
    (advice, *_) = guidance_for("pipe_bound:fp64", {"pipe_fp64_ratio": 0.93}, "sm_90", bound=1.08).advice
    assert (advice.card.id, low) == ("FG-32", 2.0)
    assert (advice.gain_low, advice.gain_high) == (1.08, 1.08)
    (free, *_) = guidance_for("pipe_bound:fp64", {"pipe_fp64_ratio": 0.93}, "sm_90").advice
    assert (free.gain_low, free.gain_high) == (2.0, 32.0)


def test_the_direct_cure_of_a_cause_goes_before_what_only_makes_it_matter_less() -> None:
    """A 32-way conflict: its bound cuts the gain of padding below that of more results per thread."""
    counters = {"shared_conflict_ratio": 0.94, "pipe_fma_ratio": 0.006, "l1_throughput_ratio": 0.86}
    guidance = guidance_for("bank_conflicts", counters, "sm_90", bound=3.0)
    assert ids(guidance) == ["FG-19", "FG-20", "FG-18"]
    assert expected_gain(guidance.advice[2]) > expected_gain(guidance.advice[0])


@pytest.mark.parametrize(("active", "first"), [(50, "FG-104"), (7, "FG-07")])
def test_a_last_wave_and_uneven_blocks_have_cards_of_their_own(active: float, first: str) -> None:
    counters = {"grid_blocks": 133, "sm_count": 132, "waves_per_sm": 133 / 132}
    cycles = {"sm_active_cycles_avg": active, "sm_elapsed_cycles": 100}
    guidance = guidance_for("imbalance_tail", counters | cycles, "sm_90")
    assert ids(guidance)[0] == first
    assert ("FG-07" in ids(guidance)) == (first == "FG-07")


def test_without_an_index_citations_lead_to_the_public_pages() -> None:
    guidance = guidance_for("bank_conflicts", {"shared_conflict_ratio": 0.5}, "sm_90")
    assert guidance.rung == "field guide"
    section = next(c for c in guidance.citations if c.id == "pg#shared-memory-bank-conflicts")
    assert section.text == "CUDA Programming Guide > Shared Memory Bank Conflicts"
    assert section.url is not None
    assert section.url.endswith(
        "/cuda-programming-guide/02-basics/writing-cuda-kernels.html#shared-memory-bank-conflicts"
    )
    assert section.path is None


def test_an_index_gives_its_own_citations_where_it_knows_the_section() -> None:
    guidance = guidance_for("bank_conflicts", {"shared_conflict_ratio": 0.5}, "sm_90", finder=Index("pg"))
    assert guidance.rung == "index"
    found = {citation.id: citation for citation in guidance.citations}
    assert found["pg#shared-memory-bank-conflicts"].text == "book pg 13.0 > Shared Memory Bank Conflicts"
    assert found["ptx#warp-level-matrix-instructions-ldmatrix"].version is None
    assert guidance_for("bank_conflicts", {"shared_conflict_ratio": 0.5}, "sm_90", finder=Index()).rung == "field guide"


@pytest.mark.parametrize("measured", [True, False])
def test_three_own_results_take_the_place_of_experience_and_say_what_times_they_are_of(measured: bool) -> None:
    counters = {"shared_conflict_ratio": 0.5}
    two = guidance_for("bank_conflicts", counters, "sm_90", history=Results({"FG-19": [0.9, 1.0]}, measured))
    assert two.advice[0].card == cards()["FG-19"]
    three = guidance_for("bank_conflicts", counters, "sm_90", history=Results({"FG-19": [0.9, 1.0, 0.95]}, measured))
    assert ids(three)[0] != "FG-19"
    word = "measured" if measured else "estimated"
    spent = next(advice.card for advice in three.advice if advice.card.id == "FG-19")
    assert (spent.gain_low, spent.gain_high, spent.gain_basis) == (0.9, 1.0, f"{word}, n = 3")


def test_an_architecture_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="'hopper' is no GPU architecture; it looks like sm_90"):
        guidance_for("barrier", {}, "hopper")


def test_guidance_survives_being_written() -> None:
    guidance = guidance_for("uncoalesced", {"global_excess_ratio": 0.8}, "sm_90", bound=5.0)
    kept = TypeAdapter(Guidance)
    assert kept.validate_json(kept.dump_json(guidance)) == guidance


def test_a_sum_a_row_is_not_told_to_coalesce_its_few_stores() -> None:
    known = {
        "global_load_sectors": 1e6,
        "global_load_bytes_per_sector": 32.0,
        "global_store_sectors": 8192.0,
        "global_store_bytes_per_sector": 4.0,
        "global_wasted_ratio": 0.007,
        "dram_throughput_ratio": 0.9,
    }
    assert not {"FG-09", "FG-10", "FG-11"} & set(ids(guidance_for("dram_bound", known, "sm_90")))
    wasteful = known | {"global_wasted_ratio": 0.44, "global_store_sectors": 1e6}
    assert {"FG-09", "FG-10", "FG-11"} <= set(ids(guidance_for("uncoalesced", wasteful, "sm_90")))
