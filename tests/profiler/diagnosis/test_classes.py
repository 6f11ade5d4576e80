"""The classes as data."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from warpwright.conditions.language import ExpressionError
from warpwright.profiler.counters import metrics
from warpwright.profiler.diagnosis.classes import BottleneckClass, Rank, bottleneck_classes, parse_classes
from warpwright.profiler.diagnosis.diagnose import PROFILE_FACTS
from warpwright.profiler.diagnosis.situation import FACTS
from warpwright.workload.loader import load_workload

STUDY = Path(__file__).resolve().parents[3] / "benchmarks" / "diagnosis"
CLASSES = tuple(bottleneck_classes().values())


@pytest.mark.parametrize("bottleneck", CLASSES, ids=lambda bottleneck: bottleneck.name)
def test_a_class_uses_only_names_that_exist(bottleneck: BottleneckClass) -> None:
    known = set(metrics()) | set(FACTS) | set(PROFILE_FACTS)
    for test in bottleneck.tests:
        bound = () if test.bound is None else test.bound.names
        refuted = () if test.refuted is None else test.refuted.names
        about = () if test.about is None else test.about.names
        assert {*test.when.names, *test.score.names, *bound, *about, *refuted} <= known
    assert bottleneck.lines <= set(metrics())
    assert bottleneck.unless <= {each.kind for each in CLASSES}
    assert bottleneck.tests[0].hint == (bottleneck.rank is Rank.HINT)


def test_there_are_the_nineteen_classes() -> None:
    kinds = [bottleneck.kind for bottleneck in CLASSES]
    ours = {
        "local_array",
        "block_starts",
    }  # a spill and an array in local memory are one row of the list; ours the other
    assert len(set(kinds) - ours) == 19
    assert {bottleneck.kind for bottleneck in CLASSES if bottleneck.rank is Rank.ROOF} == {"at_the_roof"}


def test_a_sentence_has_the_values_in_it() -> None:
    uncoalesced = bottleneck_classes()["uncoalesced"].tests[0]
    assert uncoalesced.sentence({"global_excess_ratio": 0.875}).startswith("88 % of the global sectors")
    atomics = bottleneck_classes()["atomics_contention"].tests[0]
    assert "at least 70 %" in atomics.sentence({"stall_drain_ratio": 0.7})
    assert "1.70 us" in bottleneck_classes()["launch_bound"].tests[0].sentence({"duration_ns": 1700.0})
    assert "an unknown part" in uncoalesced.sentence({})
    small = bottleneck_classes()["grid_too_small"].tests[0]
    assert small.sentence({"grid_blocks": 1, "sm_count": 132}).startswith("1 block cannot occupy 132 SMs")


def test_a_part_in_brackets_is_left_out_where_a_value_in_it_is_unknown() -> None:
    text = "Stored {dram_write_bytes}.[ Read {dram_read_bytes}.]"
    test = parse_classes(ROW.format(when="dram_write_bytes > 1", score="1", text=text))["x"].tests[0]
    assert test.sentence({"dram_write_bytes": 2.0}) == "Stored 2 byte."
    assert test.sentence({"dram_write_bytes": 2.0, "dram_read_bytes": 3.0}) == "Stored 2 byte. Read 3 byte."


def test_a_part_in_brackets_may_say_something_else_where_a_value_in_it_is_unknown() -> None:
    text = "Moved[ {dram_read_bytes / dram_write_bytes:times} the bytes|; how many is unknown]."
    test = parse_classes(ROW.format(when="dram_write_bytes > 1", score="1", text=text))["x"].tests[0]
    assert test.sentence({"dram_write_bytes": 2.0}) == "Moved; how many is unknown."
    assert test.sentence({"dram_write_bytes": 2.0, "dram_read_bytes": 3.0}) == "Moved 1.5 times the bytes."
    assert test.sentence({"dram_write_bytes": 2.0, "dram_read_bytes": 1.0}) == "Moved 0.5 times the bytes."


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0 times"),
        (0.83, "0.83 times"),
        (0.949, "0.95 times"),
        (0.95, "1.0 times"),
        (1.04, "1.0 times"),
        (2.0, "2.0 times"),
    ],
)
def test_a_larger_factor_never_reads_as_a_smaller_one(value: float, words: str) -> None:
    (test,) = parse_classes(ROW.format(when="a > 1", score="1", text="{a:times}"))["x"].tests
    assert test.sentence({"a": value}) == words


def test_a_test_is_refuted_only_by_what_is_known() -> None:
    row = ROW.format(when="dram_write_bytes > 1", score="1", text="Stored.") + 'refuted = "dram_read_bytes > 5"\n'
    test = parse_classes(row)["x"].tests[0]
    assert test.answer({"dram_write_bytes": 2.0}).holds is True
    assert test.answer({"dram_write_bytes": 2.0, "dram_read_bytes": 5.0}).holds is True
    assert test.answer({"dram_write_bytes": 2.0, "dram_read_bytes": 6.0}).holds is False


ROW = '[x]\nrank = "cause"\n[[x.tests]]\nwhen = "{when}"\nscore = "{score}"\ntext = "{text}"\n'


def test_a_new_class_is_one_table() -> None:
    found = parse_classes(ROW.format(when="dram_read_bytes > 1", score="1", text="much"))
    assert found["x"].tests[0].when.answer({"dram_read_bytes": 2.0}).holds


def test_a_class_with_units_exists_once_for_each() -> None:
    text = ROW.replace('rank = "cause"', 'rank = "cause"\nunits = ["fma", "xu"]')
    found = parse_classes(text.format(when="pipe_UNIT_ratio > 0.5", score="pipe_UNIT_ratio", text="UNIT is busy"))
    assert list(found) == ["x:fma", "x:xu"]
    assert found["x:xu"].kind == "x"
    assert found["x:xu"].tests[0].text == "xu is busy"


@pytest.mark.parametrize(
    "row",
    [
        {"when": "a b", "score": "1", "text": ""},
        {"when": "a > 1", "score": "?", "text": ""},
        {"when": "a > 1", "score": "1", "text": "{a +}"},
    ],
)
def test_what_cannot_be_read_is_named_with_its_class(row: dict[str, str]) -> None:
    with pytest.raises(ExpressionError, match=r"thresholds.toml, class x: "):
        parse_classes(ROW.format(**row))


def test_every_kernel_of_the_study_loads_and_expects_a_class_that_exists() -> None:
    rows: dict[str, Any] = tomllib.loads((STUDY / "expected.toml").read_text(encoding="utf-8"))
    assert len(rows) == 15
    assert {path.name for path in (STUDY / "kernels").iterdir()} == set(rows)
    assert {row["expected"] for row in rows.values()} <= set(bottleneck_classes())
    for name in rows:
        assert load_workload(STUDY / "kernels" / name).case("built").kind == "perf"
