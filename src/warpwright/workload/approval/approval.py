"""`describe.json`: the approval of a workload that a model wrote from a description, bound to its files by their hashes."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warpwright.errors import WorkloadError
from warpwright.workload.form.own_files import check_own_files
from warpwright.workload.model import Workload

APPROVAL_FILE = "describe.json"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Approval:
    """by: `a person` or `--yes`. at: time in UTC. origin: models, what was supplied, found and said.

    changed: files that are not what was approved; any makes the approval void. Empty when it is written.
    """

    by: str
    at: str
    description: str
    origin: dict[str, Any] = field(default_factory=dict)
    changed: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """True if the workload is still what was approved."""
        return not self.changed


def write_approval(workload: Workload, approval: Approval) -> None:
    """Write it beside the workload's files."""
    content = {
        "version": _VERSION,
        "description": approval.description,
        "approved": {"by": approval.by, "at": approval.at},
        "content_hash": workload.content_hash,
        "files": {name: _digest(workload.directory / name) for name in workload.files},
        **approval.origin,
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (workload.directory / APPROVAL_FILE).write_text(text, encoding="utf-8", newline="\n")


def read_approval(workload: Workload) -> Approval | None:
    """The approval with the files that changed since; None for a workload that was not made from a description.

    Raises: WorkloadError if describe.json cannot be read.
    """
    path = workload.directory / APPROVAL_FILE
    check_own_files(workload.directory, [APPROVAL_FILE])
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        files: dict[str, str] = dict(content["files"])
        by, at, description = content["approved"]["by"], content["approved"]["at"], content["description"]
        approved_hash = content["content_hash"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WorkloadError(f"{path}: cannot be read ({error}); delete it if the workload is yours now") from error
    own = set(workload.files)  # a name of describe.json alone is never opened: it may lead anywhere
    changed = sorted(n for n in {*files, *own} if n not in own or files.get(n) != _digest(workload.directory / n))
    if not changed and approved_hash != workload.content_hash:
        changed = [APPROVAL_FILE]
    origin = {key: content[key] for key in ("model", "reviewer", "supplied") if key in content}
    return Approval(str(by), str(at), str(description), origin, tuple(changed))


def approval_text(approval: Approval) -> str:
    """One line for a person."""
    made = f"made from a description, approved by {approval.by} at {approval.at}"
    if approval.valid:
        return f"{made}; unchanged since"
    return (
        f"APPROVAL VOID: {made}, but changed since: {', '.join(approval.changed)}. Nobody has approved this workload as it "
        f"is: read the change, then delete {APPROVAL_FILE} to take it for your own, or restore the files."
    )


def approval_to_json(approval: Approval | None) -> dict[str, Any] | None:
    """Plain JSON; null for a workload that was not made from a description."""
    if approval is None:
        return None
    return {"valid": approval.valid, "by": approval.by, "at": approval.at, "changed": list(approval.changed)}


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None
