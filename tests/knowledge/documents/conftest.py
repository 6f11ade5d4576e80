"""One indexed copy of the synthetic corpus for all tests of this folder."""

from collections.abc import Iterator

import pytest

from knowledge.documents.corpus import write_corpus
from warpwright.knowledge.documents.library import Library
from warpwright.knowledge.documents.shelf import Shelf


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A folder with the corpus indexed; not to be changed."""
    folder = tmp_path_factory.mktemp("documents")
    made = Shelf(folder / "shelf")
    made.add(write_corpus(folder / "corpus"), version="13.0")
    made.update()
    return made


@pytest.fixture
def library(shelf: Shelf) -> Iterator[Library]:
    """The index of the corpus, open."""
    with shelf.library() as opened:
        yield opened
