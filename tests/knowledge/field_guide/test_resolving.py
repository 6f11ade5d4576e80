"""Every section that a card refers to is found by an index over pages of the same shape; words are ours."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from warpwright.knowledge.books import Book, Section, books
from warpwright.knowledge.documents.index.build import build
from warpwright.knowledge.documents.index.source import Source, SourceKind, files
from warpwright.knowledge.documents.library import INDEX, Library
from warpwright.knowledge.field_guide.card import Card
from warpwright.knowledge.field_guide.guide import cards, guidance_for

FILLER = (
    "A paragraph that stands for the text of this section, long enough to be taken for a page with something to say. "
    * 5
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = tmp_path_factory.mktemp("pages")
    for book in books().values():
        pages: dict[str, list[Section]] = {}
        for section in book.sections.values():
            pages.setdefault(urlsplit(book.address(section.anchor)).path, []).append(section)
        for path, sections in pages.items():
            target = root / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(page_of(book, sections), encoding="utf-8")
    folder = tmp_path_factory.mktemp("library")
    source = Source(SourceKind.FOLDER, "mini", root, version="13.0")
    build(folder / INDEX, {source: list(files(source))})
    with Library(folder) as opened:
        yield opened


def page_of(book: Book, sections: list[Section]) -> str:
    parts = "".join(
        f'<section id="{section.anchor}"><h2>{number}.1. {section.title}<a class="headerlink" href="#">#</a></h2>'
        f"<p>{FILLER}</p></section>"
        for number, section in enumerate(sections, 1)
    )
    body = f'<article><section id="top"><h1>{book.title}</h1><p>{FILLER}</p>{parts}</section></article>'
    return f"<!DOCTYPE html><html><head><title>{book.title}</title></head><body>{body}</body></html>"


@pytest.mark.parametrize("card", [pytest.param(card, id=card.id) for card in cards().values()])
def test_every_section_of_a_card_resolves(card: Card, library: Library) -> None:
    for reference in card.references:
        found = library.cite(reference)
        assert found is not None
        assert found.id == reference.id
        assert found.section.endswith(reference.section)
        assert found.path is not None
        assert found.url is not None
        assert found.url.endswith(f"#{reference.anchor}")


def test_guidance_cites_the_index(library: Library) -> None:
    guidance = guidance_for("bank_conflicts", {"shared_conflict_ratio": 0.5}, "sm_90", finder=library)
    assert guidance.rung == "index"
    assert {citation.version for citation in guidance.citations if "#" in citation.id} == {"13.0"}
