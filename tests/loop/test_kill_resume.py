"""SIGKILL at random moments of `optimize`, then `resume`: same incumbent as an undisturbed run, nothing missing or doubled."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loop.tiny import write_tiny
from warpwright.record.session import Session

KILLS_PER_SESSION = 5
SESSIONS = 4
COMMON = ["--seed", "7", "--device", "emulator", "--iterations", "6", "--tuning-points", "3", "--json", "--quiet"]


def warpwright(arguments: list[str], state: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "XDG_STATE_HOME": str(state), "WARPWRIGHT_CACHE": str(state / "cache")}
    return subprocess.Popen(
        [sys.executable, "-m", "warpwright.cli.main", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    document: dict[str, Any] = json.loads(out)
    return document


def essence(directory: Path) -> list[tuple[Any, ...]]:
    """What must not depend on kills: every attempt's candidate, outcome and time, and what was learnt of it."""
    session = Session.open(directory, lock=False)
    learnt = {a.number: (session.diagnosis(a.number), session.guidance(a.number)) for a in session.attempts()}
    assert all((learnt[a.number][0] is not None) == a.evaluation.outcome.correct for a in session.attempts())
    return [
        (a.number, a.candidate.identity, a.evaluation.label, a.evaluation.geomean_us, *learnt[a.number])
        for a in session.attempts()
    ]


def killed_at_random(workload: Path, root: Path, seed: int) -> Path:
    """Start a session, kill it again and again at random moments, let it end."""
    chance = random.Random(seed)
    state = root / "state"
    process = warpwright(["optimize", str(workload), "--sessions", str(root), *COMMON], state)
    for _ in range(KILLS_PER_SESSION):
        _wait_for_work(process, root)
        time.sleep(chance.uniform(0.0, 1.0))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        process = warpwright(["resume", "last", "--sessions", str(root), "--json", "--quiet"], state)
    finish(process)
    (directory,) = [path for path in root.iterdir() if (path / "session.json").exists()]
    return directory


def _wait_for_work(process: subprocess.Popen[str], root: Path) -> None:
    """Until this process has emitted an event (or ended): kills before that only test the operating system."""
    began = time.time()
    while process.poll() is None:
        logs = list(root.glob("*/events.jsonl"))
        if any(log.stat().st_mtime >= began for log in logs):
            return
        time.sleep(0.01)


def test_a_session_killed_at_random_moments_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    workload = write_tiny(tmp_path / "tiny")
    finish(warpwright(["optimize", str(workload), "--sessions", str(tmp_path / "calm"), *COMMON], tmp_path / "state"))
    (calm,) = (tmp_path / "calm").iterdir()
    expected = essence(calm)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(killed_at_random, workload, tmp_path / f"run{n}", n) for n in range(SESSIONS)]
    for run in runs:
        directory = run.result()
        assert essence(directory) == expected
        assert [number for number, *_ in expected] == list(range(1, len(expected) + 1))
        assert Session.open(directory, lock=False).best() == Session.open(calm, lock=False).best()
