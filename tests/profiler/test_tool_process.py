import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from warpwright.isolation.file_lock import LockBusy, file_lock
from warpwright.profiler.tool_process import ToolCommand, run_tool


def command(folder: Path, code: str, limit_s: float = 20.0, lock: Path | None = None) -> ToolCommand:
    environment = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return ToolCommand((sys.executable, "-I", "-c", code), environment, folder, limit_s, lock)


def test_both_streams_and_the_exit_code_come_back(tmp_path: Path) -> None:
    done = run_tool(command(tmp_path, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"))
    assert (done.exit_code, done.output, done.errors) == (3, "out\n", "err\n")


def test_what_is_printed_beyond_the_limit_is_dropped_and_said(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write('x' * 300_000); sys.stderr.write('end'); sys.exit(5)"
    whole = run_tool(command(tmp_path, code))
    assert (len(whole.output), whole.truncated, whole.exit_code) == (300_000, False, 5)
    cut = run_tool(replace(command(tmp_path, code), most_bytes=100_000))
    assert (len(cut.output), cut.truncated, cut.exit_code, cut.errors) == (100_000, True, 5, "end")


@pytest.mark.skipif(sys.platform == "win32", reason="leaves its process group by setsid")
def test_a_process_that_left_the_group_and_holds_the_stream_is_not_waited_for(tmp_path: Path) -> None:
    child = "import os, time; os.setsid(); print('away', flush=True); time.sleep(12)"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(30)"
    started = time.monotonic()
    done = run_tool(command(tmp_path, code, limit_s=1.0))
    assert (done.exit_code, done.output) == (None, "away\n")
    assert time.monotonic() - started < 10


def test_a_tool_beyond_its_limit_dies_with_what_it_started(tmp_path: Path) -> None:
    child = "import time, pathlib; time.sleep(1.5); pathlib.Path('late').write_text('x')"
    code = f"import subprocess, sys; print('begun', flush=True); subprocess.run([sys.executable, '-c', {child!r}])"
    done = run_tool(command(tmp_path, code, limit_s=0.7))
    assert done.exit_code is None
    assert done.output == "begun\n"
    time.sleep(1.2)
    assert not (tmp_path / "late").exists()


def test_the_lock_is_held_while_the_tool_runs(tmp_path: Path) -> None:
    lock = tmp_path / "gpu.lock"
    look = (
        "import fcntl, os; d = os.open('gpu.lock', os.O_RDWR)\n"
        "try: fcntl.flock(d, fcntl.LOCK_EX | fcntl.LOCK_NB); print('free')\n"
        "except BlockingIOError: print('held')"
    )
    if sys.platform == "win32":
        pytest.skip("looks with fcntl")
    assert run_tool(command(tmp_path, look, lock=lock)).output == "held\n"
    try:
        with file_lock(lock, 0):
            pass
    except LockBusy:
        pytest.fail("the lock outlives the tool")
