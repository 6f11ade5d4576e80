"""A schedule of blocks as the harness takes it, and what comes back."""

from math import nan, prod

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.gpu.own_kernels import EMPTY_KERNEL, OWN_MODULE
from warpwright.device.gpu.wire.arrays import (
    Attachments,
    Json,
    array_fields,
    plan_fields,
    recipe_fields,
    scalar_fields,
    scratch_fields,
    value_field,
)
from warpwright.device.gpu.wire.faults import fault_of_guards
from warpwright.device.gpu.wire.messages import Answer
from warpwright.device.gpu.wire.replies import BlockReply, TimeReply, parse
from warpwright.device.gpu.wire.run import as_declared
from warpwright.device.measuring import (
    Contestant,
    Kept,
    Measured,
    MeasuredBlock,
    MeasureOutcome,
    MeasureRequest,
    ScheduledBlock,
    TimedArray,
)
from warpwright.device.protocol import Array, Faulted
from warpwright.errors import InfrastructureError
from warpwright.workload.dtypes import numpy_dtype
from warpwright.workload.model import Role
from warpwright.workload.recipe import Recipe


def contestant_module(index: int) -> str:
    """Name under which a contestant's program is loaded: `A`, `B`, ..."""
    return chr(ord("A") + index)


def time_message(request: MeasureRequest, sets: int) -> tuple[Json, list[Array]]:
    """Fields and attachments of `time`."""
    attachments = Attachments()
    arrays = [_array(array, attachments) for array in request.arrays]
    recipes = {array.name: array.recipe for array in request.arrays}
    fields: Json = {
        "contestants": [_contestant(index, each) for index, each in enumerate(request.contestants)],
        "arrays": arrays + [s for index, each in enumerate(request.contestants) for s in _scratch(index, each)],
        "scalars": scalar_fields(request.scalars),
        "blocks": [_block(block, recipes) for block in request.blocks],
        "sets": sets,
        "cold": request.cold_cache,
        "flushes": request.flushes,
        "spin_ms": request.spin_ms,
        "blocker": request.blocker,
        "time_limit_s": request.time_limit_s,
    }
    return fields, attachments.arrays


def kept_bytes(request: MeasureRequest) -> int:
    """Size of what comes back."""
    outputs = sum(numpy_dtype(a.dtype).itemsize * prod(a.shape) for a in request.arrays if a.role is not Role.IN)
    return outputs * sum(launch.keep for block in request.blocks for launch in block.launches)


def measure_outcome(request: MeasureRequest, answer: Answer) -> MeasureOutcome:
    """The schedule in the device's words. Raises: InfrastructureError for a reply that is not one to this request."""
    reply = parse(TimeReply, answer.body, "time")
    fault = fault_of_guards(reply.guards)
    if fault is not None:
        return Faulted(fault)
    _check_blocks(request, reply)
    return Measured(
        blocks=tuple(_measured(block) for block in reply.blocks),
        kept=_kept(request, reply, answer.arrays),
        sets=reply.sets,
        flush_bytes=reply.flush_bytes,
        truncated=reply.truncated,
        unavailable=reply.unavailable,
    )


def _array(array: TimedArray, attachments: Attachments) -> Json:
    return {
        **array_fields(array.name, array.role, array.dtype, array.shape),
        "align_bytes": array.align_bytes,
        "zeroed": array.zeroed,
        "recipe": recipe_fields(array.recipe),
        "pool": attachments.add(array.pool),
    }


def _scratch_names(index: int, plan: ResolvedPlan) -> dict[str, str]:
    """Contestants may give their scratch the same names; each has its own."""
    return {scratch.name: f"{contestant_module(index)}.{scratch.name}" for scratch in plan.scratch}


def _scratch(index: int, contestant: Contestant) -> list[Json]:
    if contestant.program is None:
        return []
    names = _scratch_names(index, contestant.plan)
    return [scratch_fields(scratch, names[scratch.name]) for scratch in contestant.plan.scratch]


def _contestant(index: int, contestant: Contestant) -> Json:
    if contestant.program is None:
        empty = plan_fields(contestant.plan, {launch.entry: EMPTY_KERNEL for launch in contestant.plan.launches}, {})
        return {"module": OWN_MODULE, "plan": {"launches": [{**each, "args": []} for each in empty["launches"]]}}
    names = _scratch_names(index, contestant.plan)
    return {
        "module": contestant_module(index),
        "plan": plan_fields(contestant.plan, contestant.program.lowered, names),
    }


def _block(block: ScheduledBlock, recipes: dict[str, Recipe | None]) -> Json:
    launches = [
        {"values": {n: value_field(recipes[n], v) for n, v in launch.values.items()}, "keep": launch.keep}
        for launch in block.launches
    ]
    return {"contestant": block.contestant, "launches": launches}


def _measured(block: BlockReply) -> MeasuredBlock:
    return MeasuredBlock(
        samples_us=tuple(nan if sample is None else sample for sample in block.samples_us),
        sm_mhz=block.sm_mhz,
        throttle=None if block.throttle is None else tuple(block.throttle),
        temperature_c=block.temperature_c,
        power_w=block.power_w,
        blocker=block.blocker,
    )


def _check_blocks(request: MeasureRequest, reply: TimeReply) -> None:
    asked = [len(block.launches) for block in request.blocks]
    got = [len(block.samples_us) for block in reply.blocks]
    if got != asked[: len(got)] or (len(got) < len(asked) and not reply.truncated):
        raise InfrastructureError(
            f"the harness answered a schedule of blocks with {asked} launches by {got} samples. Run `warpwright doctor`."
        )


def _kept(request: MeasureRequest, reply: TimeReply, arrays: tuple[Array, ...]) -> tuple[Kept, ...]:
    declared = {array.name: array for array in request.arrays if array.role is not Role.IN}
    asked = {
        (b, n, name)
        for b, block in enumerate(request.blocks[: len(reply.blocks)])
        for n, launch in enumerate(block.launches)
        if launch.keep
        for name in declared
    }
    if len(arrays) != len(reply.kept) or {(k.block, k.launch, k.name) for k in reply.kept} != asked:
        raise InfrastructureError(
            f"the harness gave back {len(arrays)} kept outputs; the schedule asked for {len(asked)}. Run `warpwright doctor`."
        )
    by_launch: dict[tuple[int, int], dict[str, Array]] = {}
    for kept, array in zip(reply.kept, arrays, strict=True):
        one = declared[kept.name]
        outputs = by_launch.setdefault((kept.block, kept.launch), {})
        outputs[kept.name] = as_declared(kept.name, one.dtype, one.shape, array)
    return tuple(Kept(block, launch, outputs) for (block, launch), outputs in sorted(by_launch.items()))
