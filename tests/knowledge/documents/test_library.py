"""Search, read and cite over the synthetic corpus."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warpwright.errors import InputError
from warpwright.knowledge.citation import Citation, Reference
from warpwright.knowledge.documents.library import INDEX, Library
from warpwright.knowledge.documents.shelf import Shelf


def test_a_find_carries_its_citation(library: Library, shelf: Shelf) -> None:
    found = library.search("lock the clock to base frequency", k=1)[0]
    assert found.citation == Citation(
        "nc#clock-control",
        "Nsight Compute Profiling Guide",
        "Reproducibility > Clock Control",
        "13.0",
        "https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#clock-control",
        str(shelf.folder.parent / "corpus/nsight-compute/ProfilingGuide/index.html"),
    )
    assert "base frequency" in found.snippet
    assert len(found.snippet) <= 400


def test_an_identifier_is_found_whole_and_by_its_parts(library: Library) -> None:
    for question in ("smsp__pcsamp_warps_issue_stalled_lg_throttle", "stalled lg throttle", "long scoreboard"):
        assert library.search(question)[0].id == "nc#metrics-reference"


def test_three_wordings_are_merged_by_rank(library: Library) -> None:
    wordings = ["padding the rows of a tile", "shared memory bank conflicts", "column access conflict"]
    ids = [found.id for found in library.search(wordings, k=4)]
    assert ids[0] == "pg#shared-memory-bank-conflicts"
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("queries", [[], ["a", "b", "c", "d"], [" "], ["fine", ""]])
def test_one_to_three_wordings(library: Library, queries: list[str]) -> None:
    with pytest.raises(InputError, match="1 to 3 wordings"):
        library.search(queries)


def test_filters_by_product_and_architecture(library: Library) -> None:
    assert {found.id.split("#")[0] for found in library.search("shared memory", product="nsight-compute")} == {"nc"}
    everywhere = {found.id for found in library.search("occupancy warps on an SM", k=20)}
    assert {"tuning-ampere#occupancy", "tuning-hopper#occupancy"} <= everywhere
    hopper = {found.id for found in library.search("occupancy warps on an SM", arch="sm_90a", k=20)}
    assert "tuning-hopper#occupancy" in hopper
    assert "tuning-ampere#occupancy" not in hopper


@pytest.mark.parametrize("question", ['"', "a-b:c", "NEAR(", "AND OR NOT", "col:x*", "( ^ )", "…", "the of and"])
def test_question_marks_of_the_query_language_are_words(library: Library, question: str) -> None:
    library.search(question)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.text(min_size=1, max_size=80).filter(str.strip))
def test_no_question_makes_the_search_fail(library: Library, question: str) -> None:
    library.search(question)


def test_a_section_is_read_in_parts_with_its_neighbours(library: Library) -> None:
    whole = library.read("nc#clock-control")
    assert (whole.previous, whole.next, whole.parent) == ("nc#serialization", "nc#cache-control", "nc#reproducibility")
    assert whole.text.endswith("ncu --clock-control none ./program")
    assert whole.total == len(whole.text)
    parts = [library.read("nc#clock-control", offset, 50).text for offset in range(0, whole.total, 50)]
    assert "".join(parts) == whole.text
    assert library.read("nc#clock-control", whole.total + 5).text == ""


def test_unknown_ids_are_refused_with_the_next_step(library: Library) -> None:
    with pytest.raises(InputError, match=r"no section 'nc#nothing' in the index; search for it"):
        library.read("nc#nothing")


@pytest.mark.parametrize(
    ("reference", "identity"),
    [
        (Reference("nc", "Clock Control", "clock-control"), "nc#clock-control"),
        (Reference("nc", "Hardware Model", "metrics-hw-model"), "nc#hardware-model"),
        (
            Reference("pg", "Configuring L1/Shared Memory Balance", "moved-away"),
            "pg#configuring-l1-shared-memory-balance",
        ),
        (Reference("pg", "Asynchronous Data Copies", "async-copies"), "pg#asynchronous-data-copies"),
        (Reference("bpg", "Occupancy", "occupancy"), "bpg#occupancy"),
        (Reference("bpg", "No Such Title", "nor-anchor"), None),
        (Reference("nowhere", "Occupancy", "occupancy"), None),
    ],
    ids=["anchor", "label", "title", "listed alias", "one of many books", "unknown", "unknown book"],
)
def test_references_are_resolved_by_anchor_alias_or_title(
    library: Library, reference: Reference, identity: str | None
) -> None:
    cited = library.cite(reference)
    assert (cited.id if cited else None) == identity


def test_pages_of_one_book_have_their_own_addresses(library: Library) -> None:
    cited = library.citation("pg#pipelines")
    assert cited is not None
    assert cited.url == "https://docs.nvidia.com/cuda/cuda-programming-guide/04-special-topics/pipelines.html#pipelines"


def test_a_markdown_twin_is_cited_as_the_page_it_stands_for(library: Library) -> None:
    cited = library.citation("tuning-ampere#occupancy")
    assert cited is not None
    assert cited.url == "https://docs.nvidia.com/cuda/ampere-tuning-guide/index.html#occupancy"


def test_metrics_from_an_indexed_table_and_from_a_printed_list(shelf: Shelf, tmp_path: Path) -> None:
    name = "smsp__pcsamp_warps_issue_stalled_barrier"
    with shelf.library() as library:
        known = library.lookup_metric(name)
        assert known is not None
        assert known.description == "other warps of the block have not reached the barrier"
        assert known.unit is None
        assert library.lookup_metric("smsp__no_such_metric") is None
    (tmp_path / "metrics").mkdir()
    text = "Device NVIDIA H200 (GH100)\n\nMetric Name   Metric Type   Metric Unit   Metric Description\n"
    rows = f"{name}   Counter   warp   # of warps\n{name}_not   Counter   other   longer name\n"
    (tmp_path / "metrics/gh100.txt").write_text(text + rows)
    with Library(tmp_path) as library:
        listed = library.lookup_metric(f"{name}.avg.pct_of_peak_sustained_elapsed")
    assert listed is not None
    assert (listed.name, listed.unit, listed.description, listed.chips) == (name, "warp", "# of warps", ("GH100",))


def test_without_an_index_nothing_is_found_and_nothing_fails(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        assert library.search("anything") == ()
        assert library.cite(Reference("nc", "Clock Control", "clock-control")) is None
        assert (library.rung, library.status().books) == ("field guide", ())
        with pytest.raises(InputError, match="nothing is indexed yet: run `warpwright docs discover`"):
            library.read("nc#clock-control")


def test_an_index_over_nothing_is_none(tmp_path: Path) -> None:
    assert Shelf(tmp_path).update().sections == 0
    assert (tmp_path / INDEX).is_file()
    with Library(tmp_path) as library:
        assert (library.rung, library.status().books) == ("field guide", ())
        assert library.search("anything") == ()
        assert library.problem is not None
        assert library.problem.startswith("nothing is indexed yet")


@pytest.mark.parametrize("content", [b"no database at all", b"", None], ids=["damaged", "empty", "other schema"])
def test_an_index_that_cannot_be_used_is_said_and_not_used(
    tmp_path: Path, content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    if content is None:
        connection = sqlite3.connect(tmp_path / INDEX)
        connection.executescript("CREATE TABLE meta(key, value); INSERT INTO meta VALUES('schema_version', '999');")
        connection.close()
    else:
        (tmp_path / INDEX).write_bytes(content)
    with Library(tmp_path) as library:
        assert library.search("anything") == ()
        assert library.problem is not None
        assert "to make it anew" in library.problem
    assert "to make it anew" in caplog.text


def test_the_index_is_opened_for_reading_only(library: Library) -> None:
    assert library._connection is not None
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        library._connection.execute("DELETE FROM page")


def test_status_counts_every_book(library: Library) -> None:
    status = library.status()
    books = {book.key: book for book in status.books}
    assert (books["pg"].pages, books["nc"].sections, books["bpg"].version) == (7, 22, "13.0")
    assert status.stale == ()
    assert status.mismatches([("cuda", "13.0.2")]) == ()
    assert "CUDA Programming Guide is of cuda 13.0, installed is 12.4" in status.mismatches([("cuda", "12.4")])
