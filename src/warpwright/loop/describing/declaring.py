"""The `[reference]` table of a draft, which names the second implementation: never a model's own."""

import hashlib
import tomllib
from typing import Any

from warpwright.candidate.source import parse_source
from warpwright.errors import WorkloadError
from warpwright.loop.describing.draft import SECOND, WORKLOAD_TOML, Draft
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

SECOND_ENTRY = "reference_kernel"
_RECORD = "declared"


def authored(draft: Draft, name: str) -> str | None:
    """One file as whoever wrote it wrote it: workload.toml without the table that `declare_second` put under it."""
    text = draft.text(name)
    if text is None or name != WORKLOAD_TOML:
        return text
    for table in _declared(draft):
        text = text.removesuffix(table)
    return text


def authored_digests(draft: Draft) -> dict[str, str]:
    """What the author's part of the draft is now, by file: all that is there but the second implementation."""
    now = {name: digest for name, digest in draft.digests().items() if name != SECOND}
    if WORKLOAD_TOML in now:
        text = (authored(draft, WORKLOAD_TOML) or "").rstrip("\n")
        now[WORKLOAD_TOML] = hashlib.sha256(text.encode()).hexdigest()
    return now


def reference_fault(draft: Draft) -> str | None:
    """Why a `[reference]` is refused; None if there is none, or if it is the person's own."""
    text = authored(draft, WORKLOAD_TOML)
    if WORKLOAD_TOML in draft.assignment.supplied or text is None or "reference" not in _tables(text):
        return None
    return f"{WORKLOAD_TOML}: [reference]; leave it out: somebody else writes the second implementation, {SECOND}"


def declare_second(draft: Draft) -> None:
    """Name reference.cu in workload.toml, with a launch that any grid-stride kernel is right for.

    A `[reference]` of the person's own stays. Raises: WorkloadError if the draft does not load.
    """
    text = authored(draft, WORKLOAD_TOML)
    if text is None or "reference" in _tables(text):
        return
    if text != draft.text(WORKLOAD_TOML):  # a table of an earlier comparison need not fit any more
        draft.write(WORKLOAD_TOML, text)
    workload = load_workload(draft.files)
    entry = _entry(draft) if SECOND in draft.assignment.supplied else SECOND_ENTRY
    table = "\n\n" + _table(workload, entry)
    draft.keep(_RECORD, {"tables": sorted({*_declared(draft), table})})
    draft.write(WORKLOAD_TOML, text.rstrip("\n") + table)


def _declared(draft: Draft) -> list[str]:
    """Every table that was put there; a kill may have left any of them."""
    return list((draft.kept(_RECORD) or {}).get("tables", []))


def _tables(text: str) -> dict[str, Any]:
    """What workload.toml holds; nothing where it is not TOML, which the loader says."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _entry(draft: Draft) -> str:
    """The kernel of the person's own reference.cu."""
    kernels = parse_source(draft.text(SECOND) or "", SECOND).kernels
    if len(kernels) != 1:
        names = ", ".join(kernel.name for kernel in kernels) or "none"
        raise WorkloadError(
            f"{SECOND}: kernels found: {names}; give a file with one, or a workload.toml whose [reference] names it"
        )
    return kernels[0].name


def _table(workload: Workload, entry: str) -> str:
    elements = " * ".join(f"({size})" for size in workload.outputs[0].shape)
    return (
        "[reference] # a second implementation, written from the description without sight of the first\n"
        f'source = "{SECOND}"\nentry = "{entry}"\n'
        f'grid = ["min(1024, ceil_div({elements}, 256))"]\nblock = ["256"]\n'
    )
