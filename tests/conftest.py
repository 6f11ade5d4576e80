"""What holds for every test."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _without_history() -> Iterator[None]:
    """No test reads what this user's sessions taught, nor adds to it; a test of the history names a file of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARPWRIGHT_HISTORY", "off")
        yield
