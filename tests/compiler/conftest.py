from collections.abc import Iterator

import pytest

from warpwright.compiler.compiler import Compiler


@pytest.fixture(scope="session")
def compiler() -> Iterator[Compiler]:
    """One warm NVRTC without a cache for all tests."""
    with Compiler(None) as opened:
        yield opened
