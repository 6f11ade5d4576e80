"""Parts of reading that a whole run does not reach: NVIDIA's module, odd pages, markers, lines."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from warpwright.profiler.nsight_compute.normalise import PlannedLaunch, normalised
from warpwright.profiler.nsight_compute.reading.hot_lines import hot_lines
from warpwright.profiler.nsight_compute.reading.report import (
    LineValue,
    Report,
    ReportLaunch,
    UnreadableReport,
    without_markers,
)
from warpwright.profiler.nsight_compute.reading.report_csv import read_raw, read_rules
from warpwright.profiler.nsight_compute.reading.report_module import find_module, read_with_module
from warpwright.profiler.nsight_compute.reading.source_csv import read_lines
from warpwright.profiler.profile import RawMetric

SECTORS = "derived__memory_l2_theoretical_sectors_global_excessive"


class FakeMetric:
    """`IMetric` of NVIDIA's module, as its documentation has it."""

    def __init__(self, value: Any, unit: str = "", instances: Sequence[tuple[int, float]] = ()) -> None:
        self._value, self._unit, self._instances = value, unit, instances

    def value(self) -> Any:
        return self._value

    def unit(self) -> str:
        return self._unit

    def num_instances(self) -> int:
        return len(self._instances)

    def has_correlation_ids(self) -> bool:
        return bool(self._instances)

    def correlation_ids(self) -> "FakeMetric":
        return FakeMetric(None, "", [(0, float(address)) for address, _ in self._instances])

    def as_uint64(self, index: int) -> int:
        return int(self._instances[index][1])

    def as_double(self, index: int) -> float:
        return self._instances[index][1]


class FakeInfo:
    def __init__(self, file: str, line: int) -> None:
        self._file, self._line = file, line

    def file_name(self) -> str:
        return self._file

    def line(self) -> int:
        return self._line


class FakeAction:
    NameBase_MANGLED = 2

    def __init__(self, metrics: dict[str, FakeMetric]) -> None:
        self._metrics = metrics

    def name(self, base: int = 0) -> str:
        return "_Z5scalePf" if base == self.NameBase_MANGLED else "scale"

    def metric_names(self) -> list[str]:
        return list(self._metrics)

    def metric_by_name(self, name: str) -> FakeMetric | None:
        return self._metrics.get(name)

    def sass_by_pc(self, address: int) -> str:
        return {16: "@!P0 LDG.E.64 R2, [R4]", 32: "BRA 0x10 ;"}.get(address, "")

    def source_info(self, address: int) -> FakeInfo | None:
        return {16: FakeInfo("/somewhere/kernel.cu", 7), 32: FakeInfo("/elsewhere/header.cuh", 9)}.get(address)

    def rule_results_as_dicts(self) -> list[dict[str, Any]]:
        message = {"title": "A @section:Occupancy:title@", "message": "Do it.", "type": 2}
        return [
            {"rule_identifier": "R", "rule_message": message, "speedup_estimation": {"type": 2, "speedup": 12.5}},
            {
                "rule_identifier": "S",
                "rule_message": {**message, "type": 1},
                "speedup_estimation": {"type": 0, "speedup": 0},
            },
        ]


class FakeModule:
    def __init__(self, actions: list[FakeAction]) -> None:
        self._actions = actions

    def load_report(self, path: str) -> Any:
        return self if self._actions else None

    def num_ranges(self) -> int:
        return 1

    def range_by_idx(self, index: int) -> "FakeModule":
        return self

    def num_actions(self) -> int:
        return len(self._actions)

    def action_by_idx(self, index: int) -> FakeAction:
        return self._actions[index]


def test_the_module_gives_numbers_rules_and_lines() -> None:
    metrics = {
        "gpu__time_duration.sum": FakeMetric(1500, "ns"),
        "bad": FakeMetric(float("nan")),
        "text": FakeMetric("word"),
        SECTORS: FakeMetric(30, "byte", [(16, 24.0), (32, 5.0), (48, 1.0)]),
    }
    (launch,) = read_with_module(FakeModule([FakeAction(metrics)]), Path("x.ncu-rep"), "kernel.cu").launches
    assert launch.name == "_Z5scalePf"
    assert launch.raw["gpu__time_duration.sum"] == RawMetric(1500.0, "ns")
    assert "bad" not in launch.raw
    assert launch.raw["text"].value == "word"
    first, second = launch.rules
    assert (first.title, first.kind, first.scope, first.speedup_percent) == ("A title", "optimization", "global", 12.5)
    assert (second.kind, second.scope, second.speedup_percent) == ("info", None, None)
    (hot,) = (line for line in hot_lines(launch.lines) if line.counter == "global_excess_ratio")
    assert (hot.line, hot.counter, hot.value, hot.instruction) == (7, "global_excess_ratio", 24.0, "LDG.E.64")
    assert hot.share == pytest.approx(0.8), "lines of other files count in the total and are not shown"


def test_a_file_that_is_no_report_is_refused() -> None:
    with pytest.raises(UnreadableReport, match="no report of Nsight Compute"):
        read_with_module(FakeModule([]), Path("x.ncu-rep"), "kernel.cu")


def test_a_cut_report_whose_launches_have_lost_their_metrics_is_refused() -> None:
    whole = FakeAction({"gpu__time_duration.sum": FakeMetric(1500, "ns")})
    with pytest.raises(UnreadableReport, match=r"x\.ncu-rep holds no launch with metrics.* cut short"):
        read_with_module(FakeModule([FakeAction({})]), Path("x.ncu-rep"), "kernel.cu")
    found = read_with_module(FakeModule([whole, FakeAction({})]), Path("x.ncu-rep"), "kernel.cu")
    assert [len(launch.raw) for launch in found.launches] == [1, 0]
    assert found.notes == ("the report holds no metrics of 1 of 2 launches: it is cut short or damaged",)


def test_a_name_that_the_module_cannot_take_back_makes_a_report_unreadable() -> None:
    class Damaged(FakeAction):
        def metric_by_name(self, name: str) -> FakeMetric | None:
            raise TypeError("in method 'IAction_metric_by_name', argument 2 of type 'char const *'")

    with pytest.raises(UnreadableReport, match=r"x\.ncu-rep cannot be read: in method"):
        read_with_module(FakeModule([Damaged({"m": FakeMetric(1)})]), Path("x.ncu-rep"), "kernel.cu")


def test_nvidias_own_module_refuses_it_too(tmp_path: Path) -> None:
    module = find_module()
    if module is None:
        pytest.skip("ncu-report is not installed")
    path = tmp_path / "x.ncu-rep"
    path.write_bytes(b"no report")
    with pytest.raises(UnreadableReport):
        read_with_module(module, path, "kernel.cu")


def test_a_module_that_does_not_load_is_passed_over(tmp_path: Path) -> None:
    if find_module() is not None:
        pytest.skip("ncu-report is installed")
    inside = tmp_path / "extras" / "python"
    inside.mkdir(parents=True)
    (inside / "ncu_report.py").write_text("import a_library_built_for_another_python\n", encoding="utf-8")
    assert find_module(tmp_path / "ncu") is None


@pytest.mark.parametrize("text", ["", "==ERROR== no\n", '"ID","Kernel Name","m"\n"","","inst"\n', "a,b\n1,2\n"])
def test_pages_without_launches_are_refused(text: str) -> None:
    with pytest.raises(UnreadableReport):
        read_raw(text)


def test_rows_that_are_cut_short_lose_their_last_columns_only() -> None:
    text = '"ID","Kernel Name","first","second"\n"","","inst","byte"\n"0","k","1,000","2"\n"1","k","3"\n'
    one, two = read_raw(text)
    assert one.raw == {"first": RawMetric(1000.0, "inst"), "second": RawMetric(2.0, "byte")}
    assert two.raw == {"first": RawMetric(3.0, "inst")}


def test_a_page_without_units_is_read_all_the_same() -> None:
    (launch,) = read_raw('"ID","Kernel Name","sm__throughput.avg.pct_of_peak_sustained_elapsed"\n"0","k","50.5"\n')
    assert launch.raw["sm__throughput.avg.pct_of_peak_sustained_elapsed"] == RawMetric(50.5, "")


HEADER = '"ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum"\n"","","ns","byte"\n'


def test_a_page_that_breaks_off_inside_a_number_is_refused() -> None:
    with pytest.raises(UnreadableReport, match="cut short"):
        read_raw(HEADER + '"0","k","12.5","8388608"\n"1","k","12.5","83')


def test_a_mark_of_the_encoding_and_other_delimiters_change_nothing() -> None:
    rows = '"0","k","1234.5","8388608"\n'
    expected = read_raw(HEADER + rows)
    assert read_raw(f"\ufeff{HEADER}{rows}") == expected
    assert read_raw((HEADER + rows).replace("\n", "\r\n")) == expected
    semicolons = (HEADER + rows).replace(",", ";").replace("1234.5", "1234,5")
    assert read_raw(semicolons) == expected
    assert read_raw(semicolons.replace('"', "")) == expected
    assert read_raw((HEADER + rows).replace('"', "")) == expected


def test_between_semicolons_a_comma_is_not_presumed_to_be_thousands() -> None:
    text = (HEADER + '"0","k","12#345","8388608"\n').replace(",", ";").replace("#", ",")
    with pytest.raises(UnreadableReport, match=r"12,345 may have decimals or thousands.* Run with LC_ALL=C"):
        read_raw(text)


def test_decimal_commas_between_commas_are_refused() -> None:
    with pytest.raises(UnreadableReport, match=r"rows of more than the 4 cells of their header.* Run with LC_ALL=C"):
        read_raw((HEADER + '"0","k","12,5","8388608"\n').replace('"', ""))


def test_a_version_among_the_values_is_kept_as_it_stands() -> None:
    (launch,) = read_raw(HEADER + '"0","k","12.5","12.4.1"\n')
    assert launch.raw == {
        "gpu__time_duration.sum": RawMetric(12.5, "ns"),
        "dram__bytes_read.sum": RawMetric("12.4.1", "byte"),
    }


def test_rules_lie_with_their_launch() -> None:
    header = (
        '"ID","Section Name","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"\n'
    )
    text = header + '"0","S","A","OPT","a","global","10"\n"1","S"\n"2","S","B","ERR","b, ""c""","local","1,5"\n'
    first, second, third = read_rules(text)
    assert [rule.rule for rule in first] == ["A"]
    assert second == ()
    assert (third[0].kind, third[0].message, third[0].scope) == ("error", 'b, "c"', "local")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see @section:SourceCounters:the sectors@ now", "see the sectors now"),
        ("the @url:guide:https://example.org/a:b#c@ says", "the guide says"),
        ("at @source:/a/kernel.cu:12:this line@", "at this line"),
        ("at @sass:123:this@", "at this"),
        ("mail a@b.c", "mail a@b.c"),
    ],
)
def test_markers_are_stripped(text: str, shown: str) -> None:
    assert without_markers(text) == shown


def test_only_lines_that_matter_are_hot_and_the_total_is_of_all() -> None:
    values = [
        LineValue(line, "inst_executed", value, "FFMA") for line, value in ((1, 50.0), (2, 30.0), (2, 15.0), (3, 5.0))
    ]
    found = [hot for hot in hot_lines(values) if hot.counter == "instructions"]
    assert [(hot.line, hot.share) for hot in found] == [(1, 0.5), (2, 0.45)]
    assert hot_lines([LineValue(1, "inst_executed", 0.0)]) == ()


def test_loads_stores_and_atomics_are_told_apart_by_their_instruction() -> None:
    sectors = "memory_l2_theoretical_sectors_global"
    values = [LineValue(1, sectors, 8.0, "LDG.E.64"), LineValue(2, sectors, 4.0, "STG.E"), LineValue(3, sectors, 9.0)]
    values += [LineValue(4, "inst_executed", 5.0, "RED.E.ADD"), LineValue(5, "inst_executed", 5.0, "LDS")]
    found = {hot.counter: hot.line for hot in hot_lines(values) if hot.counter.endswith("_sectors")}
    assert found == {"global_load_sectors": 1, "global_store_sectors": 2, "l2_reduction_sectors": 4}


def test_divergence_is_where_lanes_are_idle() -> None:
    counted = ((1, 10.0, 320.0), (2, 10.0, 160.0), (3, 1.0, 1.0))
    values = [LineValue(line, "inst_executed", instructions) for line, instructions, _ in counted]
    values += [LineValue(line, "thread_inst_executed", threads) for line, _, threads in counted]
    found = [hot for hot in hot_lines(values) if hot.counter == "threads_per_instruction"]
    assert [(hot.line, hot.value) for hot in found] == [(2, 160.0), (3, 31.0)]


def test_machine_instructions_between_source_lines_do_not_count_twice() -> None:
    text = '"#","Address","Source","Instructions Executed"\n"1","","int i;","40"\n"1","0x10","MOV R1","40"\n"2","","x","60"\n'
    (lines,) = read_lines(text)
    assert [(value.line, value.value) for value in lines] == [(1, 40.0), (2, 60.0)]


PRINTED = """
"File Path","kernel.cu"
"Function Name","transpose"
"Line No","Source","Address","Source","Instructions Executed","L2 Theoretical Sectors Global Excessive","stall_long_sb"
"4","<Unable to open source file>","-","-","327680","0","0"
"","","0x7fcff77b0b30","      ISETP.GE.AND P0, PT, R0, R7, PT","65536","0","0"
"5","<Unable to open source file>","-","-","1048576","786432","911"
"","","0x7fcff77b0c00","      LDG.E R3, [R2.64]","65536","786432","911"
"""
"""As Nsight Compute 2025.3 prints source and machine code together: two columns of one name, a dash where a line has none."""


def test_lines_of_a_page_that_prints_machine_code_beside_them() -> None:
    (lines,) = read_lines(PRINTED.lstrip())
    counted = [(value.line, value.metric, value.value) for value in lines]
    assert counted == [
        (4, "Instructions Executed", 327680.0),
        (5, "Instructions Executed", 1048576.0),
        (5, "L2 Theoretical Sectors Global Excessive", 786432.0),
        (5, "stall_long_sb", 911.0),
    ]
    assert {(hot.counter, hot.line) for hot in hot_lines(lines)} >= {
        ("stall_long_scoreboard_ratio", 5),
        ("global_excess_ratio", 5),
    }


def test_a_source_page_of_another_form_gives_nothing() -> None:
    assert read_lines("something else\nentirely,1\n") == ()


def named(*names: str) -> Report:
    return Report(
        tuple(ReportLaunch(name, {"launch__grid_size": RawMetric(float(n), "")}) for n, name in enumerate(names))
    )


PLAN = (PlannedLaunch("a", "_Z1aPf"), PlannedLaunch("b", "_Z1bPf"), PlannedLaunch("a", "_Z1aPf"))


@pytest.mark.parametrize(
    ("names", "positions"),
    [
        (("_Z1aPf", "_Z1bPf", "_Z1aPf"), [0, 1, 2]),
        (("_Z1bPf", "_Z1aPf"), [1, 2]),
        (("ww_generate", "_Z1aPf"), [0]),
        (("void a<4>(float *)", "ns::b(float *)", "a"), [0, 1, 2]),
        (("x", "y", "z"), []),
    ],
)
def test_launches_are_found_in_the_plan(names: tuple[str, ...], positions: list[int]) -> None:
    found = normalised(named(*names), PLAN, frozenset(), "here")
    assert [launch.position for launch in found.launches] == positions
    assert bool(found.notes) == (len(positions) < len(names))
