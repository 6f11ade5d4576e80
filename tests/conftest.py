"""What holds for every test."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

settings.register_profile("untimed", deadline=None)  # speed is watched by benchmarks, and other tests run beside
settings.load_profile("untimed")

_KEPT = Path(__file__).resolve().parents[1] / "build" / "tests"
"""What is made from sources, for this run and the next: both caches know what their entries were made from."""
os.environ.setdefault("WARPWRIGHT_CACHE", str(_KEPT / "cache"))  # not this user's
if sys.dont_write_bytecode:  # not beside the sources, then: else each of many hundred processes compiles them anew
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(_KEPT / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "Scheduling | None":
    """A file is run by one process: what its module fixtures start is started once. All of tests/gpu is: one GPU."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):  # type: ignore[misc] # it has no types
        def _split_scope(self, nodeid: str) -> str:
            return "tests/gpu" if nodeid.startswith("tests/gpu/") else super()._split_scope(nodeid)

    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(autouse=True, scope="session")
def _without_history() -> Iterator[None]:
    """No test reads what this user's sessions taught, nor adds to it; a test of the history names a file of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARPWRIGHT_HISTORY", "off")
        yield


@pytest.fixture(autouse=True, scope="session")
def _own_temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests look for what is left in the temporary folder: processes that run side by side have one each."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    folder = str(tmp_path_factory.mktemp("temporary"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield
