"""What sessions share, so that their workers are not started for each."""

from collections.abc import Iterator

import pytest

from loop.shared import Shared


@pytest.fixture(scope="session")
def shared() -> Iterator[Shared]:
    parts = Shared()
    yield parts
    parts.close()


@pytest.fixture
def on_shared(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions on the emulator that this process runs are opened on what is shared."""
    shared.serve(monkeypatch)
