"""Judges committed rows again by the counters that they keep: after a change of the classes, without a GPU.

    python -m benchmarks.diagnosis.rejudge benchmarks/diagnosis/results/h200.json --gpu h200

Counters, times and machines stay as they were taken; findings, evidence and what could not be evaluated are made afresh.
Works on files of `study` and of `real`. Prints what was found first in each row, then and now.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.diagnosis import real, study
from benchmarks.diagnosis.diagnosed import Row, diagnosis_row

from warpwright.device.protocol import TimeSource
from warpwright.hardware import load_gpu
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.profiler.counters import Quality, metrics
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.situation import situation_of
from warpwright.profiler.emulated import TOOL as EMULATOR
from warpwright.profiler.profile import Cache, CaseProfile, Counter, LaunchCounters, Source
from warpwright.workload.loader import load_workload

UNCERTAINTY_RATIO = 0.15
"""Of the emulator's estimates, which rows do not keep."""

_VERDICT = ("expected", "found", "right")
_SIDES = ("before", "after")


def profile_of(row: Row) -> CaseProfile:
    """The profile that a row was made of, of one launch."""
    emulated = row["tool"] == EMULATOR
    counters = {name: _counter(name, value, emulated=emulated) for name, value in row["counters"].items()}
    return CaseProfile(
        case=row["case"],
        subject="",
        tool=row["tool"],
        cache=Cache.COLD,
        launches=(LaunchCounters(0, row["entry"], counters),),
        reason=row["reason"],
        notes=tuple(row["notes"]),
        time_us=row["time_us"],
        seconds=row["profile_seconds"],
        time_source=TimeSource.ESTIMATED if emulated else TimeSource.MEASURED,
        uncertainty_ratio=UNCERTAINTY_RATIO if emulated else None,
    )


def rejudged(row: Row, workload: Path, gpu: GpuSpec) -> Row:
    """The row with findings of today. Source lines, which counters do not tell, are taken over."""
    profile, loaded = profile_of(row), load_workload(workload)
    situation = situation_of(loaded, loaded.case(profile.case), gpu, profile.time_us)
    fresh = diagnosis_row(profile, diagnose_case(profile, situation))
    lines = {finding["bottleneck"]: finding["hot_lines"] for finding in row["findings"]}
    for finding in fresh["findings"]:
        finding["hot_lines"] = lines.get(finding["bottleneck"], [])
    return {**{key: value for key, value in row.items() if key not in _VERDICT}, **fresh}


def rejudged_pair(name: str, row: Row, gpu: GpuSpec) -> Row:
    """A row of `real`: both of its kernels."""
    sides = {side: rejudged(row[side], real.EXAMPLES / name, gpu) for side in _SIDES}
    return {**row, **sides}


def is_pair(row: Row) -> bool:
    """Whether a row is one of `real`, with a kernel before and one after."""
    return all(side in row for side in _SIDES)


def of_today(document: dict[str, Any], gpu: GpuSpec) -> dict[str, Any]:
    """A file of `study` or `real` with all its rows judged again."""
    rows: dict[str, Row] = {}
    expected = study.expected_classes(document["device"])
    for name, row in document["rows"].items():
        if "failed" in row:
            rows[name] = row
        elif is_pair(row):
            rows[name] = rejudged_pair(name, row, gpu)
        else:
            rows[name] = study.judged(rejudged(row, study.HERE / "kernels" / name, gpu), expected[name])
    if any(is_pair(row) for row in rows.values()):
        return {**document, "what": " ".join(real.WHAT.split()), "summary": real.summary(rows), "rows": rows}
    return {**document, "summary": study.summary(rows, expected), "rows": rows}


def main() -> None:
    """Judge every row of a file again and write it back."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="a result of `study` or `real`")
    parser.add_argument("--gpu", default="h200", help="whose figures floors are made of")
    options = parser.parse_args()
    document: dict[str, Any] = json.loads(options.file.read_text(encoding="utf-8"))
    again = of_today(document, load_gpu(options.gpu))
    for name, row in again["rows"].items():
        print(f"{name:<18} {_found(document['rows'][name])}\n{'now':>18} {_found(row)}")
    options.file.write_text(json.dumps(again, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(again["summary"]))


def _found(row: Row) -> str:
    if is_pair(row) or "failed" in row:
        return real.line(row)
    return str(row["found"])


def _counter(name: str, value: float, *, emulated: bool) -> Counter:
    metric = metrics()[name]
    if emulated:
        return Counter(value, Source.EMULATOR, metric.emulator or Quality.ESTIMATED)
    if metric.ncu or name.startswith("flop_"):
        return Counter(value, Source.NCU, Quality.MEASURED)
    return Counter(value, Source.COMPILER, Quality.EXACT)


if __name__ == "__main__":
    main()
