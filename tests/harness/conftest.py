"""The real harness binary on the stand-in driver: `serve` opens a process, `opened` one that is ready for candidates."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from harness.building import BuildUnavailable, Built, build
from harness.requests import OWN_KERNELS, image
from harness.wire import Wire, clean_environment

Serve = Callable[..., Wire]


@pytest.fixture(scope="session")
def built() -> Built:
    try:
        return build()
    except BuildUnavailable as missing:
        pytest.skip(f"the harness cannot be built: {missing}")


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    return tmp_path / "standin.log"


@pytest.fixture
def log(log_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """What the driver did, in order; log("launch"): events of one kind."""

    def read(op: str | None = None) -> list[dict[str, Any]]:
        events = [json.loads(line) for line in log_path.read_text().splitlines()]
        return [event for event in events if op is None or event["op"] == op]

    return read


@pytest.fixture
def serve(built: Built, log_path: Path) -> Iterator[Serve]:
    """serve(*arguments, exchange=FOLDER, **settings): a process on a GPU with these settings, which keeps a log."""
    with ExitStack() as stack:

        def start(*arguments: str, exchange: Path | None = None, **settings: Any) -> Wire:
            settings = {"l2_bytes": 1 << 20, "log": str(log_path)} | settings
            environment = clean_environment(WARPWRIGHT_STANDIN=json.dumps(settings), WARPWRIGHT_NVML=str(built.driver))
            command = [str(built.harness), *(arguments or ("serve",)), "--driver", str(built.driver)]
            command += ["--exchange", str(exchange)] if exchange is not None else []
            return stack.enter_context(Wire(command, environment, exchange))

        yield start


@pytest.fixture
def opened(serve: Serve) -> Callable[..., Wire]:
    """opened("axpb overrun=1", ..., **settings): a process with the own module and a candidate of these kernels."""

    def start(*kernels: str, variables: tuple[str, ...] = (), exchange: Path | None = None, **settings: Any) -> Wire:
        wire = serve(exchange=exchange, **settings)
        assert "error" not in wire.ask("hello", schema=1, device=0, nonce="n").body
        assert "error" not in wire.ask("open").body
        assert (
            "error"
            not in wire.ask("load", image(*OWN_KERNELS), name="warpwright", symbols=OWN_KERNELS, globals=[]).body
        )
        names = [line.split()[0] for line in kernels]
        loaded = wire.ask(
            "load",
            image(*kernels, variables=variables),
            name="candidate",
            symbols=names,
            globals=[line.split()[0] for line in variables],
        )
        assert set(loaded["kernels"]) == set(names)
        return wire

    return start
