"""Which book a page belongs to, and which architectures a section is about."""

from pathlib import Path

import pytest

from warpwright.errors import InputError
from warpwright.knowledge.documents.index.architectures import architectures, asked_architecture, nearest
from warpwright.knowledge.documents.index.recognition import Identity, canonical, recognise
from warpwright.knowledge.documents.index.source import PRIORITY, PageFile, Source, SourceKind

HOST = "https://docs.nvidia.com"
PG = f"{HOST}/cuda/cuda-programming-guide/"
ARCHIVE = f"{HOST}/cuda/archive/12.6.3/cuda-c-programming-guide"
AMPERE = f"{HOST}/cuda/ampere-tuning-guide/index.html"
OLD_PG = f"{HOST}/cuda/cuda-c-programming-guide/index.html"


@pytest.mark.parametrize(
    ("relative", "url", "book", "address", "version"),
    [
        ("a", f"{PG}02-basics/nvcc.html", "pg", f"{PG}02-basics/nvcc.html", None),
        ("a", f"{ARCHIVE}/index.html", "pg", f"{ARCHIVE}/index.html", "12.6.3"),
        ("a", f"{AMPERE}.md", "tuning-ampere", AMPERE, None),
        ("mirror/cuda/cuda-c-programming-guide/index.html", None, "pg", OLD_PG, None),
        ("x/cuda-programming-guide/04/pipelines.html", None, "pg", f"{PG}04/pipelines.html", None),
        ("profilingguide/index.html", None, "nc", f"{HOST}/nsight-compute/ProfilingGuide/index.html", None),
        ("tiling.md", None, "mine/tiling", None, None),
        ("topic/index.html", None, "mine/topic", None, None),
        ("a", "https://elsewhere.example/guide.html", "mine/a", "https://elsewhere.example/guide.html", None),
    ],
)
def test_by_address_then_by_folder(
    relative: str, url: str | None, book: str, address: str | None, version: str | None
) -> None:
    source = Source(SourceKind.FOLDER, "mine", Path("/docs"))
    found = recognise(source, PageFile(Path("/docs") / relative, relative, url))
    assert (found.book, found.url, found.version) == (book, address, version)


MIRROR = "https://mirror.example/nv/guide.html"


@pytest.mark.parametrize(
    ("url", "book", "expected"),
    [
        (MIRROR, "bpg", ("bpg", "CUDA C++ Best Practices Guide")),
        (MIRROR, None, ("web/nv/guide", None)),
        (MIRROR, "a-book-of-theirs", ("web/nv/guide", None)),
        (f"{PG}a.html", None, ("pg", "CUDA Programming Guide")),
    ],
    ids=["manifest", "an older note", "no known book", "address"],
)
def test_a_page_of_a_mirror_is_of_the_book_that_the_manifest_says(
    url: str, book: str | None, expected: tuple[str, str | None]
) -> None:
    source = Source(SourceKind.WEB, "web", Path("/d"), priority=PRIORITY["fetched"])
    found = recognise(source, PageFile(Path("/d/nv/guide.html"), "nv/guide.html", url, book=book))
    assert ((found.book, found.document), found.url) == (expected, url)


def test_other_pages_of_an_installation_are_named_after_the_product_and_have_its_address() -> None:
    base = f"{HOST}/nsight-compute/"
    source = Source(
        SourceKind.FOLDER, "ncu-2025", Path("/d"), "nsight-compute", "2025.3.1", base, None, PRIORITY["installed"]
    )
    identity = recognise(source, PageFile(Path("/d/Training/index.html"), "Training/index.html"))
    assert identity == Identity(
        "nsight-compute/Training", None, "nsight-compute", f"{base}Training/index.html", "2025.3.1"
    )


def test_one_added_file_is_recognised_by_its_name() -> None:
    path = Path("/d/CUDA_C_Best_Practices_Guide.pdf")
    source = Source(SourceKind.PDF, "guide", path)
    assert recognise(source, PageFile(path, path.name)).book == "bpg"


@pytest.mark.parametrize(
    "address",
    [
        "https://docs.nvidia.com/cuda/x/",
        "https://DOCS.nvidia.com/cuda/x/index.html#anchor",
        "https://docs.nvidia.com/cuda/archive/13.0.0/x/index.html?highlight=a",
        "https://docs.nvidia.com/cuda/x/index.html.md",
    ],
)
def test_spellings_of_one_address(address: str) -> None:
    assert canonical(address) == "docs.nvidia.com/cuda/x"


@pytest.mark.parametrize(
    ("titles", "tags"),
    [
        ("NVIDIA Ampere GPU Architecture Tuning Guide / Occupancy", (80, 86)),
        ("Guide / Compute Capability 9.0", (90,)),
        ("Guide / Compute Capability 8.x", (80, 86, 89)),
        ("PTX ISA / wgmma", (90,)),
        ("PTX ISA / tcgen05.mma", (100,)),
        ("Guide / Features of sm_120a", (120,)),
        ("Guide / Shared Memory", ()),
        ("Guide / Adaptive code", ()),
    ],
)
def test_architectures_named_by_titles(titles: str, tags: tuple[int, ...]) -> None:
    assert architectures(titles) == tags


@pytest.mark.parametrize(
    ("arch", "tag"),
    [("sm_90a", 90), ("9.0", 90), (90, 90), ("sm_87", 86), (103, 100), ("sm_121", 120), ("sm_75", None), ("", None)],
)
def test_the_nearest_known_architecture(arch: str | int, tag: int | None) -> None:
    assert nearest(arch) == tag


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("sm_90", 90),
        ("SM_90a", 90),
        ("compute_100f", 100),
        ("9.0", 90),
        ("12.1", 121),
        ("90", 90),
        ("sm_75", 75),
        ("sm_129", 129),
    ],
)
def test_an_architecture_as_people_write_it(text: str, number: int) -> None:
    assert asked_architecture(text) == number


@pytest.mark.parametrize("text", ["volta", "sm_999", "sm_130", "sm_9", "", "90 100", "sm_90x", "9.00"])
def test_what_is_no_architecture_is_refused(text: str) -> None:
    with pytest.raises(
        InputError, match=r"is no GPU architecture\. Write it as sm_90 or 9\.0; documents are marked for sm_80, "
    ):
        asked_architecture(text)
