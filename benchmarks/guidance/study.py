"""Does guidance help? The built-in strategist, led by the diagnosis, beside the same moves tried at random.

    python -m benchmarks.guidance.study --output FILE [--device emulator:h200] [--examples a,b] [--seeds 10] [--work DIR]

Every pair is one example and one seed, searched twice: `--model builtin` and `--model undirected`. Counted are the attempts
(the initial kernel is the first) and the evaluations (attempts and tuning points) until a correct attempt lies within 5 % of
the best figure known: the best of all runs here and of the committed run of the examples. Started again with the same FILE it
goes on with the pairs that are missing. On the emulator a candidate that was evaluated once is remembered under --work, for
estimates repeat exactly; on a GPU nothing is remembered, and --time-limit ends a session. --small leaves out the cases that
only a GPU runs, as on the emulator, and reads no counters for the undirected arm, which would not use them: an attempt takes
seconds then instead of half a minute.
Exit code 1: the median ratio is above the target.
"""

import argparse
import datetime as dt
import json
import shutil
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.guidance.remembered import RememberingEvaluator, StudyBench
from benchmarks.guidance.verdict import TARGET, judge, print_table

from warpwright.cli.bench_options import bench_options
from warpwright.evaluation.bench import open_bench
from warpwright.evaluation.profiling import ProfileOptions
from warpwright.loop.budget import Budget
from warpwright.loop.context import PATIENCE, LoopContext
from warpwright.loop.run import run_session
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.registry import open_proposer
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

ROOT = Path(__file__).resolve().parents[2]
ARMS = {"guided": "builtin", "undirected": "undirected"}
NO_NCU = Path("no counters for the undirected arm")
SECRET = "5" * 64
"""The same seeds and values in every session: only what proposes differs."""


def run(example: str, arm: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """One session; every attempt with its time and how many evaluations had been made when it was finished."""
    workload = load_workload(
        small(ROOT / "examples" / example, options.work) if options.small else ROOT / "examples" / example
    )
    asked = SessionOptions(
        str(workload.directory),
        proposer=ARMS[arm],
        iterations=options.iterations,
        time_limit_s=options.time_limit,
        seed=seed,
        device=options.device,
        tuning_budget=options.tuning_points,
    )
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=options.work) as temporary:
        opening = bench_options()
        bench = open_bench(workload, options.device, SECRET, opening)
        session = Session.create(Path(temporary), workload, asked, {}, bench.device.description, GRAPH_VERSION)
        remembering = None
        if not bench.evaluator.measures:
            remembering = RememberingEvaluator(
                bench.evaluator, options.work / "evaluations" / workload.content_hash[:16]
            )
        context = LoopContext(
            session,
            bench if remembering is None else StudyBench(bench, remembering),  # type: ignore[arg-type] # stands in for it
            open_proposer(asked.proposer),
            Budget(asked.iterations, asked.time_limit_s, PATIENCE, asked.max_repairs),
            profiling=ProfileOptions(ncu=NO_NCU) if options.small and arm == "undirected" else opening.profiling,
        )
        try:
            final = run_session(context)
        finally:
            context.close()
        return {
            "example": example,
            "arm": arm,
            "seed": seed,
            "stopped": final["stop"],
            "seconds": round(time.monotonic() - began, 1),
            "evaluated": None if remembering is None else remembering.evaluated,
            "attempts": _attempts(session),
        }


def small(example: Path, work: Path) -> Path:
    """A copy of the example without the cases that only a GPU runs."""
    copy = work / "small" / example.name
    shutil.copytree(example, copy, dirs_exist_ok=True)
    head, *cases = (copy / "workload.toml").read_text(encoding="utf-8").split("[[cases]]")
    kept = [case for case in cases if tomllib.loads(case).get("on") != "gpu"]
    (copy / "workload.toml").write_text("[[cases]]".join([head, *kept]), encoding="utf-8")
    return copy


def _attempts(session: Session) -> list[dict[str, Any]]:
    """Points of a search are counted to the first attempt after it."""
    rows, evaluations, best_us = [], 0, None
    events = session.events()
    points = {a.number: 0 for a in session.attempts()}
    finished = 1
    for event in events:
        if event.kind == "finished" and event.attempt is not None:
            finished = event.attempt
        if event.kind == "tuning":
            points[finished] += 1
    for attempt in session.attempts():
        evaluations += 1
        evaluation, diagnosis = attempt.evaluation, session.diagnosis(attempt.number)
        us = evaluation.geomean_us
        best_us = us if best_us is None or (us is not None and us < best_us) else best_us
        rows.append(
            {
                "technique": None if attempt.hypothesis is None else attempt.hypothesis.technique,
                "treats": None if attempt.hypothesis is None else attempt.hypothesis.bottleneck,
                "outcome": evaluation.label,
                "geomean_us": us,
                "best_us": best_us,
                "evaluations": evaluations,
                "bottleneck": None if diagnosis is None else diagnosis.bottleneck,
                "verdict": None if diagnosis is None else diagnosis.verdict.value,
            }
        )
        evaluations += points[attempt.number]
    return rows


def earlier(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Finished runs of the output file, if they were made with the same options."""
    if not options.output.is_file():
        return []
    document = json.loads(options.output.read_text(encoding="utf-8"))
    made = {"small": False, **document["options"]}
    if {**made, "device": _model(made["device"])} != {**asked_for(options), "device": _model(options.device)}:
        raise SystemExit(f"{options.output}: made with {document['options']}; choose another file")
    runs: list[dict[str, Any]] = document["runs"]
    return runs


def _model(device: str) -> str:
    """Which of some GPUs it was does not matter."""
    return "gpu" if device.startswith("gpu:") else device


def asked_for(options: argparse.Namespace) -> dict[str, Any]:
    """What must be equal for runs to be comparable."""
    return {name: getattr(options, name) for name in ("device", "iterations", "tuning_points", "time_limit", "small")}


def document_of(options: argparse.Namespace, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """What is written."""
    return {
        "what": "attempts until within 5 % of the best known figure: moves led by the diagnosis, and moves at random",
        "options": asked_for(options),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "result": judge(runs, options.device),
        "runs": runs,
    }


def main() -> int:
    """Run what is missing, write after every session, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--device", default="emulator:h200")
    parser.add_argument("--examples", default=None, help="names with commas; default: all")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=24, help="attempts of a session at most")
    parser.add_argument("--tuning-points", type=int, default=100)
    parser.add_argument("--small", action="store_true", help="without the cases that only a GPU runs")
    parser.add_argument("--time-limit", type=float, default=None, help="seconds of a session")
    parser.add_argument(
        "--work", type=Path, default=None, help="where evaluations are remembered; default: for this run only"
    )
    options = parser.parse_args()
    temporary = options.work is None
    options.work = options.work or Path(tempfile.mkdtemp())
    options.work.mkdir(parents=True, exist_ok=True)
    names = (options.examples or ",".join(sorted(p.name for p in (ROOT / "examples").iterdir() if p.is_dir()))).split(
        ","
    )
    runs = earlier(options)
    done = {(row["example"], row["arm"], row["seed"]) for row in runs}
    try:
        for seed in range(options.seeds):
            for name in names:
                for arm in ARMS:
                    if (name, arm, seed) in done:
                        continue
                    runs.append(run(name, arm, seed, options))
                    told = {k: runs[-1][k] for k in ("example", "arm", "seed", "seconds", "evaluated")}
                    print(json.dumps({**told, "attempts": len(runs[-1]["attempts"])}), flush=True)
                    options.output.parent.mkdir(parents=True, exist_ok=True)
                    text = json.dumps(document_of(options, runs), indent=1) + "\n"
                    options.output.write_text(text, encoding="utf-8")
    finally:
        if temporary:
            shutil.rmtree(options.work)
    result = judge(runs, options.device)
    print_table(result)
    ratio = result["median_ratio"]
    return 0 if ratio is not None and ratio <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
