"""From a launch plan of expressions to the integers of one case."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from warpwright.candidate.candidate import Candidate, CaseOverride, Launch, Scratch
from warpwright.candidate.expressions import DEVICE_NAMES, ExpressionError, device_values, evaluate
from warpwright.candidate.resolved import PlanFault, ResolvedLaunch, ResolvedPlan, ResolvedScratch
from warpwright.hardware.gpu_spec import Dim3, GpuSpec

_AXES = "xyz"
_CASE_OF_NO_OVERRIDE = CaseOverride()


class _Refused(Exception):
    """A plan that has no meaning for this case; the reason is a suffix of `invalid_plan`."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def resolve_plan(
    candidate: Candidate, dims: Mapping[str, int], gpu: GpuSpec, case: str, parameter_names: Sequence[str]
) -> ResolvedPlan | PlanFault:
    """The plan of one case in integers. Sizes are not yet checked against the device (`limits.check_limits`).

    dims: of the case. parameter_names: the workload's parameters in order, what `args` may name beside the scratch.
    """
    try:
        return _resolve(candidate, {**dims, **device_values(gpu)}, case, parameter_names)
    except _Refused as refused:
        return PlanFault("invalid_plan", refused.reason, f"case {case}: {refused}")


def known_names(candidate: Candidate, dims: Sequence[str]) -> frozenset[str]:
    """Every name that the plan's expressions may use."""
    return frozenset((*dims, *candidate.tunables, *DEVICE_NAMES))


def _resolve(
    candidate: Candidate, values: Mapping[str, int], case: str, parameter_names: Sequence[str]
) -> ResolvedPlan:
    clash = sorted(set(candidate.tunables) & {*values, *parameter_names})
    if clash:
        raise _Refused("signature", f"tunable {clash[0]} has the name of a dim or parameter; rename it")
    values = {**values, **candidate.values(case)}
    override = candidate.plan.overrides.get(case, _CASE_OF_NO_OVERRIDE)
    scratch = tuple(_scratch(entry, values) for entry in candidate.plan.scratch)
    names = (*parameter_names, *(entry.name for entry in scratch))
    launches = tuple(
        _launch(_overridden(launch, override) if index == 0 else launch, values, names)
        for index, launch in enumerate(candidate.plan.launches)
    )
    return ResolvedPlan(launches, scratch)


def _overridden(launch: Launch, override: CaseOverride) -> Launch:
    return replace(
        launch,
        grid=launch.grid if override.grid is None else override.grid,
        block=launch.block if override.block is None else override.block,
        shared=launch.shared if override.shared is None else override.shared,
    )


def _launch(launch: Launch, values: Mapping[str, int], names: tuple[str, ...]) -> ResolvedLaunch:
    return ResolvedLaunch(
        entry=launch.entry,
        grid=_dim3("grid", launch.grid, values),
        block=_dim3("block", launch.block, values),
        shared_bytes=_size("shared", launch.shared, values, least=0),
        args=_args(launch, names),
        cluster=None if launch.cluster is None else _dim3("cluster", launch.cluster, values),
        cooperative=launch.cooperative,
    )


def _args(launch: Launch, names: tuple[str, ...]) -> tuple[str, ...]:
    if launch.args is None:
        return names
    unknown = [name for name in launch.args if name not in names]
    if unknown:
        known = ", ".join(names)
        raise _Refused(
            "signature", f"args of {launch.entry} name {unknown[0]!r}; known parameters and scratch: {known}"
        )
    return launch.args


def _scratch(scratch: Scratch, values: Mapping[str, int]) -> ResolvedScratch:
    shape = tuple(_size(f"scratch {scratch.name}", text, values, least=1) for text in scratch.shape)
    return ResolvedScratch(scratch.name, scratch.dtype, shape)


def _dim3(field: str, texts: tuple[str, ...], values: Mapping[str, int]) -> Dim3:
    if not 1 <= len(texts) <= 3:
        raise _Refused("expression", f"{field} has {len(texts)} dimensions; 1 to 3 are allowed")
    sizes = [_size(f"{field}.{axis}", text, values, least=1) for axis, text in zip(_AXES, texts, strict=False)]
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _size(field: str, text: str, values: Mapping[str, int], least: int) -> int:
    try:
        size = evaluate(text, values)
    except ExpressionError as error:
        raise _Refused("expression", f"{field}: {error}") from None
    if size < least:
        raise _Refused("expression", f"{field} = {text!r} is {size}; at least {least} is allowed")
    return size
