"""What every study shares: its command line, the JSON it leaves behind, its time budget and the table it prints last."""

import argparse
import datetime as dt
import json
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from warpwright import __version__
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

Row = dict[str, Any]


def parse_options(description: str | None, extra: Sequence[tuple[str, Mapping[str, Any]]] = ()) -> argparse.Namespace:
    """The command line of a study; extra: (flag, keywords of `add_argument`)."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--device", default="gpu:0", help="as in `warpwright --device`")
    parser.add_argument("--output", type=Path, required=True, help="folder for the JSON; rows already there are kept")
    parser.add_argument("--seconds", type=float, default=240.0, help="begin no new row after that long")
    parser.add_argument("--cases", nargs="*", default=[], help="only these cases of the workload; default: all")
    for flag, keywords in extra:
        parser.add_argument(flag, **keywords)
    return parser.parse_args()


def load_kernels(name: str, options: argparse.Namespace) -> Workload:
    """The workload `kernels/NAME`, with the cases that the command line names."""
    workload = load_workload(Path(__file__).parent / "kernels" / name)
    chosen = tuple(case for case in workload.cases if not options.cases or case.name in options.cases)
    return replace(workload, cases=chosen)


class Study:
    """Rows of one study, written as they come so that a stopped run keeps what it has and a later one goes on from there.

    protocol: how the numbers came about, in sentences: it stands beside them in the JSON.
    """

    def __init__(self, name: str, protocol: str, options: argparse.Namespace) -> None:
        output: Path = options.output
        seconds: float = options.seconds
        self._path = output / f"{name}.json"
        self._written = 0.0
        self._deadline = time.monotonic() + seconds
        self._document: dict[str, Any] = {
            "study": name,
            "protocol": " ".join(protocol.split()),
            "device": options.device,
            "machines": [],
            "rows": [],
            "summary": {},
        }
        self._resume()

    @property
    def rows(self) -> list[Row]:
        """Everything that is known, of earlier runs too."""
        rows: list[Row] = self._document["rows"]
        return rows

    @property
    def time_left(self) -> bool:
        """False once the budget is spent."""
        return time.monotonic() < self._deadline

    def describe(self, machine: Mapping[str, Any]) -> None:
        """What it ran on: GPU, driver, harness. Each distinct machine is listed once, with its date."""
        host = {"processor": platform.machine(), "python": platform.python_version(), "system": platform.system()}
        entry = {**machine, "warpwright": __version__, "host": host, "date": dt.datetime.now(dt.UTC).date().isoformat()}
        if entry not in self._document["machines"]:
            self._document["machines"].append(entry)
        self._write()

    def has(self, **key: object) -> bool:
        """Whether a row with these fields is there."""
        return any(all(row.get(name) == value for name, value in key.items()) for row in self.rows)

    def add(self, row: Row) -> None:
        """Keep one more row; on disk after a second at the latest."""
        self.rows.append(row)
        if time.monotonic() - self._written > 1.0:
            self._write()

    def finish(self, summary: Mapping[str, Any]) -> None:
        """The figures that the study is about."""
        self._document["summary"] = dict(summary)
        self._write()

    def _resume(self) -> None:
        if not self._path.is_file():
            return
        kept = json.loads(self._path.read_text(encoding="utf-8"))
        if kept["device"] == self._document["device"] and kept["protocol"] == self._document["protocol"]:
            self._document.update(machines=kept["machines"], rows=kept["rows"])

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(self._document, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        part.replace(self._path)
        self._written = time.monotonic()


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A plain table; None is printed as `-`."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(columns), *cells]) for i in range(len(columns))]
    print(f"\n{title}")
    for line in [list(columns), *cells]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip(), flush=True)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
