"""One indexed copy of the synthetic corpus for all tests of this folder; a host and a store for those that fetch."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge.documents.corpus import write_corpus
from knowledge.documents.host import Host, Reply, running
from warpwright.knowledge.documents.library import Library
from warpwright.knowledge.documents.shelf import Shelf
from warpwright.knowledge.documents.sync.store import PageStore


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


@pytest.fixture
def host() -> Iterator[Host]:
    """A host with rules for robots and no pages yet."""
    with running() as started:
        started.serve("/robots.txt", Reply(b"User-agent: *\nDisallow: /private/\n"))
        yield started


@pytest.fixture
def store(tmp_path: Path) -> PageStore:
    """An empty one."""
    return PageStore(tmp_path / "web")
