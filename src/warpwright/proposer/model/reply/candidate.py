"""The candidate that a reply describes, as far as it may be compiled."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from warpwright.candidate.candidate import Candidate, LaunchPlan, allowed_overrides
from warpwright.candidate.directory import candidate_toml
from warpwright.candidate.expressions import parse
from warpwright.candidate.schema import CandidateFile
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_nodes import mentioned_names
from warpwright.candidate.validation import validate
from warpwright.errors import CandidateError
from warpwright.evaluation.building.plans import resolve_plans
from warpwright.evaluation.building.policy import check_policy, check_source
from warpwright.evaluation.failure import Failure
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply
from warpwright.proposer.model.reply.header import ReplyKernel
from warpwright.proposer.model.reply.parse import ParsedReply
from warpwright.workload.model import Case, Workload

_LAUNCH_KEYS = ("entry", "grid", "block", "shared", "cluster", "cooperative", "args")
_KINDS = frozenset(BadKind)


def candidate_of(parsed: ParsedReply, incumbent: Candidate, workload: Workload, gpu: GpuSpec) -> Candidate | BadReply:
    """The reply's source with its launch plan, or what is wrong with them.

    What the header's kernel table leaves out stays as in `incumbent`; a plan of other kernels is described in full. The plan
    must be legal on `gpu` in every case in which the incumbent's is.
    """
    merged = _merged(parsed.header.kernel, incumbent)
    try:
        table = validate(CandidateFile, {"kernel": merged}, Path("header"), CandidateError).kernel
    except CandidateError as error:
        lines = [line.removeprefix("header: ") for line in str(error).split("\n")]
        return BadReply(BadKind.HEADER, "\n".join(lines))
    candidate = Candidate(
        source=parsed.source,
        plan=table.plan(),
        source_name=incumbent.source_name,
        tunables=MappingProxyType({name: tuple(allowed) for name, allowed in table.tunables.items()}),
        point=MappingProxyType(dict(table.point)),
        options=tuple(table.options),
        headers=incumbent.headers,
    )
    candidate = _without_idle_tunables(candidate)
    return _fault(candidate, incumbent, workload, gpu) or candidate


def _fault(candidate: Candidate, incumbent: Candidate, workload: Workload, gpu: GpuSpec) -> BadReply | None:
    message = check_source(candidate)
    if message is not None:
        return BadReply(BadKind.POLICY, message)
    plans = resolve_plans(candidate, workload, _cases(incumbent, workload, gpu), gpu)
    if isinstance(plans, Failure):
        return BadReply(BadKind(plans.reason) if plans.reason in _KINDS else BadKind.LIMITS, plans.message)
    refused = check_policy(workload, candidate)
    return None if refused is None else BadReply(BadKind.POLICY, refused.message)


def _cases(incumbent: Candidate, workload: Workload, gpu: GpuSpec) -> Sequence[Case]:
    """Cases that the incumbent can run: the others are for other devices. All, if it can run none."""
    able = [c for c in workload.cases if not isinstance(resolve_plans(incumbent, workload, [c], gpu), Failure)]
    return able or workload.cases


def _merged(given: ReplyKernel, incumbent: Candidate) -> dict[str, Any]:
    """The `[kernel]` table of both. What belonged to a plan or to tunables that are replaced does not stay."""
    table: dict[str, Any] = tomllib.loads(candidate_toml(incumbent))["kernel"]
    said = given.model_dump(exclude_unset=True)
    changes = {key: value for key, value in said.items() if value is not None}
    if _other_launches(given, incumbent):
        table = {
            key: value for key, value in table.items() if key not in (*_LAUNCH_KEYS, "launches", "scratch", "case")
        }
    elif any(key in changes for key in _LAUNCH_KEYS):
        table.pop("case", None)
    if "tunables" in changes:
        table.pop("point", None)
        table.pop("case", None)
    for key in ("cluster", "args"):  # null takes them away
        if key in said and said[key] is None:
            table.pop(key, None)
    if "launches" in changes:
        changes["launches"] = [_without_nulls(launch) for launch in changes["launches"]]
    return {**table, **changes}


def _other_launches(given: ReplyKernel, incumbent: Candidate) -> bool:
    """True if the reply describes its launches anew: as a list, one in place of several, or one of another kernel."""
    if given.launches is not None:
        return True
    if not any(getattr(given, key) is not None for key in _LAUNCH_KEYS):
        return False
    launches = incumbent.plan.launches
    return len(launches) > 1 or given.entry not in (None, launches[0].entry)


def _without_nulls(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def _without_idle_tunables(candidate: Candidate) -> Candidate:
    """Without tunables that neither source nor plan mentions: searching them would compare equal binaries."""
    texts = (candidate.source, *candidate.headers.values())
    used = set().union(*(mentioned_names(parse_source(text).tree.root_node) for text in texts))
    used |= _names_in(candidate.plan)
    kept = {name: allowed for name, allowed in candidate.tunables.items() if name in used}
    if len(kept) == len(candidate.tunables):
        return candidate
    return replace(
        candidate,
        plan=replace(candidate.plan, overrides=allowed_overrides(candidate.plan.overrides, kept)),
        tunables=MappingProxyType(kept),
        point=MappingProxyType({n: v for n, v in candidate.point.items() if n in kept}),
    )


def _names_in(plan: LaunchPlan) -> set[str]:
    texts: list[str] = []
    for launch in plan.launches:
        texts += [*launch.grid, *launch.block, launch.shared, *(launch.cluster or ())]
        texts += re.findall(r"[A-Za-z_]\w*", launch.entry)  # template arguments
    for override in plan.overrides.values():
        texts += [*(override.grid or ()), *(override.block or ()), *([override.shared] if override.shared else ())]
    for scratch in plan.scratch:
        texts += scratch.shape
    return set().union(*(parse(text).names for text in texts))
