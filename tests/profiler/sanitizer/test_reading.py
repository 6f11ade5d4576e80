"""Reports of the tool as text and XML, whole, damaged and hostile."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profiler.sanitizer.fake_compute_sanitizer import SCENARIOS
from warpwright.profiler.sanitizer.records import Place
from warpwright.profiler.sanitizer.text_report import read_summary, read_text
from warpwright.profiler.sanitizer.xml_report import read_xml

WHOLE = "<ComputeSanitizerOutput>" + "".join(SCENARIOS["write"][0]) + "</ComputeSanitizerOutput>"
PLACE_FIRST = """========= Invalid __shared__ read of size 8 bytes
=========     at inner(float *, int)+0x90 in kernel.cu:9
=========     by thread (1,2,3) in block (4,5,6)
=========     Device Frame:scale(float *)+0x20 in kernel.cu:12
"""
FILE_FIRST = """========= Invalid __global__ write of size 4 bytes
=========     at 0x90 in kernel.cu:9:scale(float*)
=========     by thread (1,2,3) in block (4,5,6)
"""
NO_LINES = """========= Barrier error detected. Divergent thread(s) in warp.
=========     at scale+0xb0
=========     by thread (1,2,3) in block (4,5,6)
"""
OFFSET_FIRST = NO_LINES.replace("scale+0xb0", "0xb0 in void scale<float, 4>(float *)")
FORMATS = {
    "place first": (
        PLACE_FIRST,
        (Place("inner(float *, int)", "kernel.cu", 9), Place("scale(float *)", "kernel.cu", 12)),
    ),
    "file first": (FILE_FIRST, (Place("scale(float*)", "kernel.cu", 9),)),
    "no lines": (NO_LINES, (Place("scale"),)),
    "offset first": (OFFSET_FIRST, (Place("void scale<float, 4>(float *)"),)),
}


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "report.xml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_record_has_text_places_and_thread(tmp_path: Path) -> None:
    records = read_xml(written(tmp_path, WHOLE))
    assert records is not None
    first, second, api = records
    assert first.places == (Place("scale", "kernel.cu", 3),), "frames of the host are not the candidate's"
    assert (first.block, first.thread, second.thread) == ((1, 0, 0), (5, 0, 0), (6, 0, 0))
    assert (first.about_device, api.about_device) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE[:-30],
        WHOLE.replace("ComputeSanitizerOutput", "SomethingElse"),
        '<!DOCTYPE x [<!ENTITY a "b">]>' + WHOLE,
        "",
        "404 not found",
    ],
    ids=["cut", "another root", "entities", "empty", "no XML"],
)
def test_what_is_no_report_is_not_read(tmp_path: Path, text: str) -> None:
    assert read_xml(written(tmp_path, text)) is None


def test_an_absent_file_is_not_read(tmp_path: Path) -> None:
    assert read_xml(tmp_path / "report.xml") is None


def test_line_zero_is_unknown(tmp_path: Path) -> None:
    records = read_xml(written(tmp_path, WHOLE.replace("<line>3</line>", "<line>0</line>")))
    assert records is not None
    assert records[0].places == (Place("scale", "kernel.cu", None),)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(at=st.integers(0, len(WHOLE) - 1), other=st.text(max_size=8))
def test_damaged_xml_is_read_or_refused(tmp_path: Path, at: int, other: str) -> None:
    read_xml(written(tmp_path, (WHOLE[:at] + other + WHOLE[at + 1 :]).encode("utf-8", "replace")))


@pytest.mark.parametrize(("log", "places"), FORMATS.values(), ids=FORMATS.keys())
def test_text_of_several_versions(log: str, places: tuple[Place, ...]) -> None:
    (record,) = read_text(f"========= COMPUTE-SANITIZER\n{log}=========\n========= ERROR SUMMARY: 1 error\n")
    assert record.places == places
    assert (record.thread, record.block) == ((1, 2, 3), (4, 5, 6))


def test_a_race_over_several_lines_is_one_report() -> None:
    log = (
        "========= Error: Race reported between Write access at scale(int *)+0x90 in kernel.cu:6\n"
        "=========     and Read access at scale(int *)+0xd0 in kernel.cu:7 [32 hazards]\n=========\n"
        "========= Warning: Race reported between Write access at scale(int *)+0x90 in kernel.cu:8\n=========\n"
    )
    race, warning = read_text(log)
    assert [place.line for place in race.places] == [6, 7]
    assert (race.warning, warning.warning) == (False, True)


def test_host_reports_are_told_apart() -> None:
    log = "========= Program hit CUDA_ERROR_X on call to y\n=========     Saved host backtrace\n========= Leaked 4 bytes\n"
    assert [record.about_device for record in read_text(log)] == [False, False]


@pytest.mark.parametrize(
    ("line", "errors", "warnings"),
    [
        ("========= ERROR SUMMARY: 0 errors", 0, 0),
        ("========= ERROR SUMMARY: 1 error", 1, 0),
        ("========= RACECHECK SUMMARY: 3 hazards displayed (2 errors, 1 warning)", 2, 1),
        ("========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)", 0, 1),
        ("========= ERROR SUMMARY: 5 errors\n========= ERROR SUMMARY: 7 errors", 7, 0),
    ],
)
def test_summaries(line: str, errors: int, warnings: int) -> None:
    found = read_summary(line)
    assert found is not None
    assert (found.errors, found.warnings) == (errors, warnings)


def test_a_log_without_summary_has_none() -> None:
    assert read_summary("========= COMPUTE-SANITIZER\n") is None


@given(log=st.text(alphabet=st.sampled_from("= \natby(0,1)in+x.cu:9Error*<"), max_size=300))
def test_any_text_is_read(log: str) -> None:
    assert all(record.text for record in read_text(log))


RACE = "<ComputeSanitizerOutput>" + SCENARIOS["race"][0][0] + "</ComputeSanitizerOutput>"
NO_LEVEL = """<ComputeSanitizerOutput><record><kind>Synccheck</kind>
<who><threadIdx><x>32</x><y>0</y><z>0</z></threadIdx><blockIdx><x>14</x><y>0</y><z>0</z></blockIdx></who>
<what><text>Barrier error</text><type>Divergent thread(s) in warp</type></what>
<where><func>tried</func><path>/any/kernel.cu</path><line>5</line><pc>0x150</pc></where></record></ComputeSanitizerOutput>"""


def test_a_race_has_both_accesses_and_no_thread(tmp_path: Path) -> None:
    (record,) = read_xml(written(tmp_path, RACE)) or ()
    assert [(place.file, place.line) for place in record.places] == [("kernel.cu", 3), ("kernel.cu", 4)]
    assert (record.thread, record.warning, record.about_device) == (None, False, True)


def test_a_record_without_level_is_an_error_and_keeps_what_its_type_adds(tmp_path: Path) -> None:
    (record,) = read_xml(written(tmp_path, NO_LEVEL)) or ()
    assert record.text == "Barrier error | Divergent thread(s) in warp"
    assert (record.thread, record.block, record.warning) == ((32, 0, 0), (14, 0, 0), False)
