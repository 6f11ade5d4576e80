"""SIGKILL all over `optimize`, then `resume`: same incumbent as an undisturbed run, nothing missing or doubled."""

import json
import os
import random
import signal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from loop.forked import Forked
from loop.tiny import write_tiny
from warpwright.record.session import Session


class Place(NamedTuple):
    """An event, which is what a kill comes after."""

    kind: str
    attempt: int | None


KILLED_AFTER = (
    (Place("stage", 1), Place("proposed", 2), Place("tuned", 3), Place("diagnosed", 4)),
    (Place("tuning", 1), Place("researched", 2), Place("finished", 4), Place("stopped", None)),
    (Place("finished", 1), Place("stage", 3), Place("researched", 4), Place("proposed", 5)),
)
"""Where each session is killed, one process after the other."""
LATER_S = 0.03
"""At most so long after the event: about what a stage takes."""
COMMON = ["--seed", "7", "--device", "emulator", "--iterations", "6", "--tuning-points", "3", "--json", "--quiet"]


def warpwright(arguments: list[str], root: Path) -> Forked:
    environment = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "WARPWRIGHT_CACHE": str(root.parent / "cache")}
    return Forked(arguments, root / "said", environment)


def finish(process: Forked) -> None:
    assert process.wait() == 0, process.err


def only_directory(root: Path) -> Path:
    (directory,) = [path for path in root.iterdir() if (path / "session.json").exists()]
    return directory


def essence(session: Session) -> list[tuple[Any, ...]]:
    """What must not depend on kills: every attempt's candidate, outcome and time, what was learnt of it, points searched."""
    made = session.attempts()
    assert all((session.diagnosis(a.number) is not None) == a.evaluation.outcome.correct for a in made)
    return [
        (
            *(a.number, a.candidate.identity, a.evaluation.label, a.evaluation.geomean_us),
            *(session.diagnosis(a.number), session.guidance(a.number), session.tuning(a.number)),
        )
        for a in made
    ]


def killed_all_over(workload: Path, root: Path, wanted: Sequence[Place], seed: int) -> list[Place]:
    """Start a session, kill it again and again, let it end; the last event at each kill."""
    chance = random.Random(seed)
    places = []
    process = warpwright(["optimize", str(workload), "--sessions", str(root), *COMMON], root)
    begun = 0
    for place in wanted:
        _wait_for(place, process, root, begun)
        time.sleep(chance.uniform(0.0, LATER_S))
        process.kill()
        if process.wait() == -signal.SIGKILL:
            places.append(emitted(root)[-1])
        begun = len(emitted(root))
        process = warpwright(["resume", "last", "--sessions", str(root), "--json", "--quiet"], root)
    finish(process)
    return places


def emitted(root: Path) -> list[Place]:
    """The events so far; nothing of one that is half written."""
    texts = [log.read_text(encoding="utf-8") for log in root.glob("*/events.jsonl")]
    whole = [line for text in texts for line in text.splitlines(keepends=True) if line.endswith("\n")]
    return [Place(event["kind"], event["attempt"]) for event in map(json.loads, whole)]


def _wait_for(place: Place, process: Forked, root: Path, begun: int) -> None:
    """Until it follows the first `begun` events, or the process has ended."""
    while place not in emitted(root)[begun:] and process.exit_code is None:
        time.sleep(0.005)


def test_a_session_killed_all_over_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    workload = write_tiny(tmp_path / "tiny")
    roots = [tmp_path / f"run{n}" for n in range(len(KILLED_AFTER))]
    with ThreadPoolExecutor(2) as pool:  # the first two compile everything, and are killed meanwhile
        given = zip([workload] * len(roots), roots, KILLED_AFTER, range(len(roots)), strict=True)
        places = [place for places in pool.map(lambda each: killed_all_over(*each), given) for place in places]
    finish(warpwright(["optimize", str(workload), "--sessions", str(tmp_path / "calm"), *COMMON], tmp_path / "calm"))
    calm = Session.open(only_directory(tmp_path / "calm"), lock=False)
    expected = essence(calm)
    assert [number for number, *_ in expected] == list(range(1, len(expected) + 1))
    for root in roots:
        killed = Session.open(only_directory(root), lock=False)
        assert essence(killed) == expected
        assert killed.best() == calm.best()
    assert len(places) >= 8
    assert len(set(places)) >= 6  # all over, and not each time where a process begins
