"""Markdown, text and what only claims to be them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.errors import InputError
from warpwright.knowledge.documents.parsing.document import Block, BlockKind
from warpwright.knowledge.documents.parsing.markdown import parse_markdown
from warpwright.knowledge.documents.parsing.read import parse

TEXT = """# 1. Guide

Intro with a [link](page.html.md#anchor).

<a id="label"></a>

## 1.1. Bank Conflicts {#banks}

```cuda
# not a heading
int x;
```

| Name | Meaning |
|---|---|
| `a_b` | first |

## 1.2. Same

## 1.3. Same
"""


def test_sections_anchors_and_blocks() -> None:
    page = parse_markdown(TEXT)
    assert [(s.level, s.number, s.title, s.anchor) for s in page.sections] == [
        (1, "1", "Guide", "guide"),
        (2, "1.1", "Bank Conflicts", "banks"),
        (2, "1.2", "Same", "same"),
        (2, "1.3", "Same", "same-2"),
    ]
    assert page.sections[0].text == "Intro with a link."
    assert page.sections[1].aliases == ["label"]
    assert page.sections[1].blocks == [
        Block(BlockKind.CODE, "# not a heading\nint x;"),
        Block(BlockKind.ROW, "`a_b` | first"),
    ]


def test_a_fence_that_is_never_closed_keeps_its_text() -> None:
    assert parse_markdown("# T\n```\ncode").sections[0].blocks == [Block(BlockKind.CODE, "code")]


def test_plain_text_is_one_section_of_paragraphs() -> None:
    assert [b.text for b in parse(b"one\ntwo\n\nthree", "notes.txt").sections[0].blocks] == ["one two", "three"]


def test_html_under_another_name_is_read_as_html() -> None:
    assert parse(b"<!DOCTYPE html><h1>T</h1><p>x</p>", "page.md").sections[0].title == "T"


def test_bytes_that_are_no_utf8_are_read_all_the_same() -> None:
    assert "gr" in parse(b"# T\ngr\xfcn", "a.md").sections[0].text


@given(st.text(max_size=300))
def test_no_text_makes_the_parser_fail(text: str) -> None:
    parse_markdown(text)


def pdf(*pages: str) -> bytes:
    """A PDF whose pages hold one line each."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects.append(f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        page = f"/Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R"
        objects += [f"<< /Type /Page {page} >>", f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"]
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return out + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def test_pages_of_a_pdf_are_sections() -> None:
    page = parse(pdf("Bank conflicts cost time", "Padding helps"), "guide.pdf")
    assert [(s.anchor, s.title, s.text) for s in page.sections] == [
        ("page=1", "Page 1", "Bank conflicts cost time"),
        ("page=2", "Page 2", "Padding helps"),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"no pdf at all", "not a PDF that can be read"), (pdf(" "), "no text in any of its 1 pages")],
    ids=["damaged", "scanned"],
)
def test_a_pdf_that_cannot_be_read_is_refused_with_its_name(content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=f"guide.pdf: {words}"):
        parse(content, "guide.pdf")
