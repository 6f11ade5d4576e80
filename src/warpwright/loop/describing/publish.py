"""From an approved draft to a workload directory with a record of how it came about."""

import shutil
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from warpwright.errors import WorkloadError
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.draft import Draft
from warpwright.proposer.conversation import Exchange, Reply
from warpwright.workload.approval import Approval, read_approval, write_approval
from warpwright.workload.freeze import freeze_workload
from warpwright.workload.loader import load_workload


def publish(context: DescribeContext, examined: str) -> None:
    """Write the workload directory, whole or not at all; doing it twice is harmless.

    Raises: WorkloadError if the draft is no longer what was examined, or the directory has been filled meanwhile.
    """
    draft = context.draft
    target = draft.target
    if (target / "workload.toml").exists():
        published = load_workload(target)
        if published.content_hash == examined and read_approval(published) is not None:
            return
    if target.exists() and any(target.iterdir()):
        raise WorkloadError(f"{target} is not empty; move it away, then: warpwright new {target} --resume")
    workload = load_workload(draft.files)
    if workload.content_hash != examined:
        raise WorkloadError(
            f"{draft.files}: was edited after it was examined; go on with: warpwright new {target} --resume"
        )
    partial = target.with_name(f".{target.name}.part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    frozen = freeze_workload(workload, partial)
    write_approval(
        frozen,
        Approval(
            by="--yes" if context.approved else "a person",
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            description=draft.assignment.description,
            origin=_origin(draft),
        ),
    )
    if target.exists():
        target.rmdir()
    partial.rename(target)


def _origin(draft: Draft) -> dict[str, Any]:
    """Who wrote what, what was found, everything said."""
    head = asdict(draft.assignment)
    return {
        "model": head["model"],
        "reviewer": head["reviewer"],
        "supplied": list(head["supplied"]),
        "inspection": draft.kept("inspection"),
        "comparison": draft.kept("comparison"),
        "exchanges": [_exchange(exchange) for exchange in draft.exchanges()],
    }


def _exchange(exchange: Exchange) -> dict[str, Any]:
    outcome = exchange.outcome
    said = {"reply": outcome.text} if isinstance(outcome, Reply) else {"fault": outcome.message}
    usage = asdict(outcome.usage) if isinstance(outcome, Reply) else None
    return {
        "purpose": exchange.purpose.value,
        "model": exchange.model,
        "messages": [{"role": message.role.value, "text": message.text} for message in exchange.messages],
        **said,
        "usage": usage,
        "money_usd": exchange.money_usd,
        "verdict": exchange.verdict,
    }
