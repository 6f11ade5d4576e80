"""What a session with a model costs beside model, compiler and device: wall time, checkpoints, prompt size over 100 attempts.

A model that is no model answers after a second (no real one is as fast) with another small kernel each time. Run as
`python -m benchmarks.agent.overhead --output benchmarks/agent/overhead.json`.
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warpwright.cli.versions import versions
from warpwright.evaluation.bench import BenchOptions
from warpwright.loop.context import open_context
from warpwright.loop.run import run_session
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.conversation import Forbids, Message, ModelFault, Reply, Role, Stop, ToolSpec, Usage
from warpwright.proposer.exchange_files import read_exchanges
from warpwright.proposer.model.proposer import ModelProposer
from warpwright.proposer.strategist import Strategist
from warpwright.record.ledger.spending import spending
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

EXAMPLE = Path(__file__).parents[2] / "examples" / "rmsnorm"
REPLY = """```json
{{"technique": "variant {number}", "hypothesis": "Variant {number} keeps another number of values in flight for a reason that \
takes a sentence or two to say, as the reasons of models do.", "card": null, "expects": {{"instructions": 0.9}},
 "predicted_gain": 1.1, "citations": []}}
```
```cuda
{source}
```
"""


class Scripted:
    """A `ModelClient` that answers with the initial kernel and a harmless statement that no other attempt has."""

    def __init__(self, source: str, reply_s: float) -> None:
        self._source = source
        self._reply_s = reply_s
        self._asked = 0

    @property
    def name(self) -> str:
        """Of no provider."""
        return "scripted:none"

    @property
    def takes_tools(self) -> bool:
        """As most models do, so that prompts are those with look-ups."""
        return True

    def ask(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
    ) -> Reply | ModelFault:
        """Another kernel each time."""
        del tools, forbids
        self._asked += 1
        assert messages[0].role is Role.SYSTEM
        head, brace, rest = self._source.rpartition("}")
        source = f"{head}    if (blockDim.x == {4096 + self._asked}) __trap();\n{brace}{rest}"
        text = REPLY.format(number=self._asked, source=source)
        time.sleep(self._reply_s)
        usage = Usage(sum(len(m.text) for m in messages) // 4, len(text) // 4)
        return Reply(text, stop=Stop.END, usage=usage, seconds=self._reply_s)


def prompt_sizes(session: Session) -> dict[int, int]:
    """Characters of the first request of each attempt that a model was asked for."""
    sizes = {}
    for attempt in session.attempts():
        kept = read_exchanges(session.attempt_directory(attempt.number))
        if kept:
            sizes[attempt.number] = sum(len(message.text) for message in kept[0].messages)
    return sizes


def run(folder: Path, attempts: int, reply_s: float) -> dict[str, Any]:
    """One session of that many attempts, and what it took."""
    workload = load_workload(EXAMPLE)
    options = SessionOptions(
        str(workload.directory), iterations=attempts, device="emulator", tuning_budget=4, patience=10 * attempts
    )
    session = Session.create(folder, workload, options, versions(), "emulator", GRAPH_VERSION)
    context = open_context(session, BenchOptions())
    context.proposer = ModelProposer(Scripted(workload.initial.source, reply_s), Strategist())
    began = time.monotonic()
    try:
        run_session(context)
    finally:
        context.close()
    wall_s = time.monotonic() - began
    by_kind = dict.fromkeys(dict.fromkeys(entry.kind for entry in session.ledger()), 0.0)
    for entry in session.ledger():
        by_kind[entry.kind] += entry.seconds
    sizes = prompt_sizes(session)
    outside_s = wall_s - sum(by_kind.values())
    return {
        "attempts": session.attempt_count,
        "wall_s": round(wall_s, 2),
        "ledger_s": {kind: round(seconds, 2) for kind, seconds in by_kind.items()},
        "outside_s": round(outside_s, 2),
        "outside_share": round(outside_s / wall_s, 4),
        "outside_share_without_the_model": round(outside_s / (wall_s - by_kind["model"]), 4),
        "outside_ms_per_attempt": round(outside_s / session.attempt_count * 1e3, 1),
        "model_calls": spending(session.ledger()).calls,
        "checkpoint_bytes": sum(path.stat().st_size for path in session.directory.glob("checkpoints.sqlite*")),
        "session_bytes": sum(path.stat().st_size for path in session.directory.rglob("*") if path.is_file()),
        "prompt_chars": {
            "10th": sizes[min(n for n in sizes if n >= 10)],
            "last": sizes[max(sizes)],
            "median": statistics.median(sizes.values()),
            "largest": max(sizes.values()),
        },
    }


def main() -> int:
    """Run, print, and write the JSON; 1 if a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=100)
    parser.add_argument("--reply-s", type=float, default=1.0, help="Seconds that a reply takes.")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpwright-overhead-") as folder:
        found = run(Path(folder), given.attempts, given.reply_s)
    found["bounds"] = {
        "checkpoint_bytes < 2 MB": found["checkpoint_bytes"] < 2_000_000,
        "last prompt <= 1.3 x the 10th": found["prompt_chars"]["last"] <= 1.3 * found["prompt_chars"]["10th"],
        "outside_share <= 0.05": found["outside_share"] <= 0.05,
    }
    document = {"versions": versions(), "example": EXAMPLE.name, "reply_s": given.reply_s, **found}
    text = re.sub(r"\s+$", "", json.dumps(document, indent=1)) + "\n"
    if given.output is not None:
        given.output.write_text(text, encoding="utf-8")
    print(text)
    return 0 if all(found["bounds"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
