"""Lets kernels that cheat and honest kernels with unusual habits through the evaluator, and compares its verdicts.

    python -m benchmarks.measurement.attacks --output DIR [--device gpu:0] [--only NAME ...]

Kernels and right verdicts: `attacks.toml`, sources in `kernels/`. Runs on the emulator too.
"""

import secrets
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.measurement.machine import machine_of
from benchmarks.measurement.study import Row, Study, parse_options, print_table

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.schema import KernelTable
from warpwright.cli.bench_options import bench_options
from warpwright.errors import CandidateError
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.outcome import Evaluation
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

HERE = Path(__file__).parent
WORKLOADS = ("axpb", "pooled", "row_sum", "scale")
HARMLESS = "harmless"
FASTER_RATIO = 0.97
"""A cheat that is only held, or passes, must take at least this share of the honest kernel's time: no check was misled."""

PROTOCOL = """Each kernel is evaluated once as `warpwright evaluate` does it: compiled, verified on every case with secret
seeds, timed with 10 + 100 launches whose outputs are partly verified. A fresh secret for each run of the study. A kernel
with writable globals is not stopped by the scan of its PTX, so that the checks under the clock see it too."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One row of the table. expect: beginnings of right labels."""

    name: str
    workload: str
    idea: str
    honest: bool
    required: bool
    expect: tuple[str, ...]
    candidate: Candidate


def load_attacks(workloads: dict[str, Workload], *, emulator: bool) -> Iterator[Attack]:
    """Every row of `attacks.toml`, with its kernel."""
    table = tomllib.loads((HERE / "attacks.toml").read_text(encoding="utf-8"))
    for honest, entries in ((False, table["attack"]), (True, table["honest"])):
        for entry in entries:
            expect = entry.get("emulator" if emulator else "gpu") or entry.get("expect", ["passed"])
            yield Attack(
                name=entry["name"],
                workload=entry["workload"],
                idea=entry["idea"],
                honest=honest,
                required=entry.get("required", False),
                expect=tuple(expect),
                candidate=_candidate(workloads[entry["workload"]], entry),
            )


def load_workloads() -> dict[str, Workload]:
    """The workloads that the kernels pretend to compute, by name."""
    return {name: load_workload(HERE / "kernels" / name) for name in WORKLOADS}


def right(attack: Attack, evaluation: Evaluation, ratio: float | None) -> bool:
    """Whether the verdict is one of the right ones. ratio: its time over the honest kernel's."""
    gained = ratio is not None and ratio < FASTER_RATIO
    if HARMLESS in attack.expect and evaluation.outcome.correct:
        return not gained
    labels = tuple(label for label in attack.expect if label != HARMLESS)
    return evaluation.label.startswith(labels) and (attack.honest or not gained)


def main() -> int:
    """One row for each kernel; 1 if a verdict was wrong."""
    options = parse_options(__doc__, [("--only", {"nargs": "*", "default": [], "help": "names; default: all"})])
    study = Study("attacks", PROTOCOL, options)
    workloads = load_workloads()
    attacks = list(load_attacks(workloads, emulator=options.device.startswith("emulator")))
    for name, workload in workloads.items():
        todo = [a for a in attacks if a.workload == name and not study.has(name=a.name)]
        todo = [a for a in todo if not options.only or a.name in options.only]
        if todo and study.time_left:
            with open_bench(workload, options.device, secrets.token_hex(32), bench_options()) as bench:
                study.describe(machine_of(bench.device))
                _judge_all(bench, todo, study)
    return _report(study)


def _judge_all(bench: Bench, attacks: list[Attack], study: Study) -> None:
    honest = bench.evaluator.evaluate(bench.evaluator.workload.initial)
    for attack in attacks:
        if not study.time_left:
            return
        evaluation = bench.evaluator.evaluate(attack.candidate)
        study.add(_row(attack, evaluation, honest))
        print(f"{attack.name}: {evaluation.label}", flush=True)


def _row(attack: Attack, evaluation: Evaluation, honest: Evaluation) -> Row:
    ratio = None
    if evaluation.geomean_us is not None and honest.geomean_us is not None:
        ratio = evaluation.geomean_us / honest.geomean_us
    return {
        "name": attack.name,
        "workload": attack.workload,
        "idea": attack.idea,
        "honest": attack.honest,
        "required": attack.required,
        "expected": list(attack.expect),
        "label": evaluation.label,
        "right": right(attack, evaluation, ratio),
        "time_ratio": ratio,
        "message": evaluation.message,
    }


def _report(study: Study) -> int:
    rows: list[dict[str, Any]] = study.rows
    cheats, honest = [r for r in rows if not r["honest"]], [r for r in rows if r["honest"]]
    study.finish(
        {
            "required_caught": sum(r["right"] for r in cheats if r["required"]),
            "required": sum(r["required"] for r in cheats),
            "cheats_caught": sum(r["right"] for r in cheats),
            "cheats": len(cheats),
            "honest_passed": sum(r["right"] for r in honest),
            "honest": len(honest),
        }
    )
    shown = [(r["name"], "honest" if r["honest"] else "cheat", r["label"], r["right"], r["time_ratio"]) for r in rows]
    print_table("attacks", ("kernel", "is", "verdict", "right", "time / honest"), shown)
    for row in rows:
        if not row["right"]:
            print(f"WRONG {row['name']}: expected {row['expected']}: {row['message']}")
    return 0 if all(r["right"] for r in rows) else 1


def _candidate(workload: Workload, entry: dict[str, Any]) -> Candidate:
    source = entry.get("source", f"{entry['name']}.cu")
    if "kernel" in entry:
        table = KernelTable.model_validate({"source": source, **entry["kernel"]})
        return table.candidate(workload.directory, CandidateError)
    text = (workload.directory / source).read_text(encoding="utf-8")
    return replace(workload.initial, source=text, source_name=source)


if __name__ == "__main__":
    sys.exit(main())
