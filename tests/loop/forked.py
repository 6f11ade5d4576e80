"""Commands in processes of their own, to be killed: forked from one that has imported everything already.

To import all that `optimize` needs takes an interpreter longer than what most tests want to see of it.
"""

import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from warpwright.cli.main import run

_IMPORTED = [
    *(f"warpwright.cli.{name}" for name in ("main", "session_run", "model_settings", "bench_options")),
    *(f"warpwright.loop.{name}" for name in ("run", "context", "entering", "ending.complete")),
    *(
        f"warpwright.{name}"
        for name in ("device.emulated.device", "emulator.jit.executor", "report.html", "report.terminal")
    ),
    "langchain_openai",
]
if sys.platform == "win32":
    _CONTEXT = multiprocessing.get_context("spawn")
else:
    _CONTEXT = multiprocessing.get_context("forkserver")
    _CONTEXT.set_forkserver_preload(_IMPORTED)
_BY_TURNS = threading.Lock()
"""Whoever starts a process also asks how the others ended, and each can be asked once."""
_POLL_S = 0.005


class Forked:
    """One `warpwright` command. said: folder of what it says. first: done in its process before it, given by reference."""

    def __init__(
        self,
        arguments: Sequence[str],
        said: Path,
        environment: Mapping[str, str] | None = None,
        first: Callable[[], object] | None = None,
    ) -> None:
        said.mkdir(parents=True, exist_ok=True)
        self._said = said
        given = (tuple(arguments), said, dict(os.environ if environment is None else environment), first)
        with _BY_TURNS:
            self._process = _CONTEXT.Process(target=_command, args=given, daemon=True)
            self._process.start()

    @property
    def exit_code(self) -> int | None:
        """None while it runs; below zero: the signal that ended it."""
        with _BY_TURNS:
            return self._process.exitcode

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()

    def wait(self, limit_s: float = 120.0) -> int:
        """Its exit code, when it has ended."""
        end = time.monotonic() + limit_s
        while (code := self.exit_code) is None:
            if time.monotonic() > end:
                self.kill()
                raise TimeoutError(f"still running after {limit_s} s. It said:\n{self.err}")
            time.sleep(_POLL_S)
        return code

    @property
    def out(self) -> str:
        """Its stdout."""
        return (self._said / "out").read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        """Its stderr."""
        return (self._said / "err").read_text(encoding="utf-8")


def _command(
    arguments: tuple[str, ...], said: Path, environment: dict[str, str], first: Callable[[], object] | None
) -> None:
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(said / name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    if first is not None:
        first()
    sys.exit(run(list(arguments)))
