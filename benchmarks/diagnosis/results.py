"""The JSON of a study: rows are written as they come, so that a run that stops goes on from there."""

import datetime as dt
import json
import platform
from pathlib import Path
from typing import Any

from warpwright import __version__


class Results:
    """Rows by name, of one device. what: what the file shows, in sentences."""

    def __init__(self, path: Path, device: str, what: str) -> None:
        self._path = path
        self._document: dict[str, Any] = {
            "what": " ".join(what.split()),
            "device": device,
            "runs": [],
            "machines": [],
            "rows": {},
        }
        if path.is_file():
            earlier = json.loads(path.read_text(encoding="utf-8"))
            if earlier["device"] == device:
                self._document |= {key: earlier.get(key, []) for key in ("runs", "machines")} | {
                    "rows": earlier["rows"]
                }
        run = {"date": dt.datetime.now(dt.UTC).date().isoformat(), "warpwright": __version__}
        run |= {"python": platform.python_version(), "processor": platform.machine()}
        if run not in self._document["runs"]:
            self._document["runs"].append(run)

    @property
    def rows(self) -> dict[str, Any]:
        """What is known so far."""
        rows: dict[str, Any] = self._document["rows"]
        return rows

    def lacks(self, name: str) -> bool:
        """True if a row is missing, or failed and deserves another try."""
        return name not in self.rows or "failed" in self.rows[name]

    def write(self, name: str, row: dict[str, Any], summary: dict[str, Any]) -> None:
        """Keep a row. summary: of all rows, put first. What the row says of its machine is kept once for all rows."""
        machine = row.get("machine")
        if machine is not None and machine not in self._document["machines"]:
            self._document["machines"].append(machine)
        self.rows[name] = {key: value for key, value in row.items() if key != "machine"}
        rows = dict(sorted(self.rows.items()))
        document = {**self._document, "summary": summary, "rows": rows}
        ordered = {key: document[key] for key in ("what", "device", "runs", "machines", "summary", "rows")}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
