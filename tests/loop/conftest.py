"""What sessions of the tiny workload share."""

from collections.abc import Iterator

import pytest

from loop.shared import Shared, started
from loop.tiny import write_tiny
from warpwright.evaluation.bench import Bench, BenchOptions
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    parts = started(load_workload(write_tiny(tmp_path_factory.mktemp("shared") / "tiny")))
    yield parts
    parts.close()


@pytest.fixture
def on_shared(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions on the emulator are opened on what is shared."""

    def open_bench(workload: Workload, device: str, secret: str, options: BenchOptions) -> Bench:
        assert device == "emulator"
        return shared.bench(workload, secret)

    monkeypatch.setattr("warpwright.loop.context.open_bench", open_bench)
