from urllib.parse import urlsplit

import pytest

from warpwright.errors import WarpwrightError
from warpwright.knowledge.books import Book, books, cite, reference


@pytest.fixture(params=[pytest.param(book, id=book.key) for book in books().values()])
def book(request: pytest.FixtureRequest) -> Book:
    found = request.param
    assert isinstance(found, Book)
    return found


def test_addresses_are_of_the_one_documentation_host(book: Book) -> None:
    for anchor in book.sections:
        parts = urlsplit(book.address(anchor))
        assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "docs.nvidia.com", anchor)
        assert parts.path.endswith(".html")


def test_a_book_of_many_pages_says_on_which_a_section_is(book: Book) -> None:
    many = book.url.endswith("/")
    assert all((section.page is not None) == many for section in book.sections.values())


def test_an_anchor_means_one_section(book: Book) -> None:
    anchors = [anchor for section in book.sections.values() for anchor in (section.anchor, *section.aliases)]
    assert len(anchors) == len(set(anchors))


def test_no_two_books_share_a_name() -> None:
    names = [name for book in books().values() for name in (book.title, book.url, *book.aliases)]
    assert len(names) == len(set(names))


def test_an_older_anchor_leads_to_the_section() -> None:
    found = reference("pg#writing-cuda-kernels-caches")
    assert (found.id, found.section) == ("pg#caches", "Caches")
    assert (
        cite(found).url
        == "https://docs.nvidia.com/cuda/cuda-programming-guide/02-basics/writing-cuda-kernels.html#caches"
    )


@pytest.mark.parametrize("identity", ["nobook#caches", "pg#nowhere", "pg", ""])
def test_what_is_not_listed_is_refused(identity: str) -> None:
    with pytest.raises(WarpwrightError, match=repr(identity)):
        reference(identity)
