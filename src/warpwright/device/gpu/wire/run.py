"""A run as the harness takes it, and what comes back."""

from collections.abc import Sequence
from math import prod

import numpy as np

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
from warpwright.device.gpu.wire.replies import RunReply, parse
from warpwright.device.protocol import (
    Array,
    ArrayArgument,
    Faulted,
    Modified,
    Ran,
    RunOutcome,
    RunRequest,
    ScalarArgument,
)
from warpwright.errors import InfrastructureError
from warpwright.workload.dtypes import numpy_dtype
from warpwright.workload.model import Role


def run_message(request: RunRequest, module: str) -> tuple[Json, list[Array]]:
    """Fields and attachments of `run`. module: under which the program is loaded."""
    attachments = Attachments()
    arrays = [_array(argument, attachments) for argument in _arrays(request)]
    scratch = [scratch_fields(each, each.name) for each in request.plan.scratch]
    fields: Json = {
        "module": module,
        "plan": plan_fields(request.plan, request.program.lowered, {}),
        "arrays": arrays + scratch,
        "scalars": scalar_fields(a for a in request.arguments if isinstance(a, ScalarArgument)),
        "values": {a.name: _value(a) for a in _arrays(request) if a.role is not Role.OUT},
        "poison": request.poison,
        "guard": request.guard,
        "placement": "end" if request.least_alignment else "start",
        "fill_shared": True,
        "plain_memory": False,
        "time_limit_s": request.time_limit_s,
        "return": [a.name for a in _returned(request)],
    }
    return fields, attachments.arrays


def returned_bytes(request: RunRequest) -> int:
    """Size of what comes back."""
    return sum(numpy_dtype(a.dtype).itemsize * prod(a.shape) for a in _returned(request))


def run_outcome(request: RunRequest, answer: Answer) -> tuple[RunOutcome, RunReply]:
    """The run in the device's words. Raises: InfrastructureError for arrays that were not asked for."""
    reply = parse(RunReply, answer.body, "run")
    asked = _returned(request)
    if reply.outputs != [a.name for a in asked] or len(answer.arrays) != len(asked):
        raise InfrastructureError(
            f"the harness gave back {', '.join(reply.outputs) or 'nothing'} with {len(answer.arrays)} arrays; asked for "
            f"{', '.join(a.name for a in asked) or 'nothing'}. Run `warpwright doctor`."
        )
    fault = fault_of_guards(reply.guards)
    if fault is not None:
        return Faulted(fault), reply
    arrays = {
        a.name: as_declared(a.name, a.dtype, a.shape, array) for a, array in zip(asked, answer.arrays, strict=True)
    }
    modified = tuple(Modified(m.name, m.bytes, m.first_byte) for m in reply.modified)
    return Ran(arrays, reply.seconds, modified, reply.device_us), reply


def as_declared(name: str, dtype: str, shape: Sequence[int], array: Array) -> Array:
    """The array in its own dtype: bfloat16 travels as raw bytes. Raises: InfrastructureError if it is another array."""
    wanted = numpy_dtype(dtype)
    if array.dtype != np.dtype(wanted.str) or array.shape != tuple(shape):
        raise InfrastructureError(
            f"the harness gave back {name} as {array.dtype.str} {array.shape}; it is {wanted.str} {tuple(shape)}. "
            "Run `warpwright doctor`."
        )
    return array.view(wanted)


def _arrays(request: RunRequest) -> list[ArrayArgument]:
    return [a for a in request.arguments if isinstance(a, ArrayArgument)]


def _returned(request: RunRequest) -> list[ArrayArgument]:
    return [a for a in _arrays(request) if a.role is not Role.IN]


def _array(argument: ArrayArgument, attachments: Attachments) -> Json:
    generated = argument.generated
    pool = [argument.value] if argument.value is not None and generated is None else []
    return {
        **array_fields(argument.name, argument.role, argument.dtype, argument.shape),
        "align_bytes": argument.align_bytes,
        "zeroed": argument.zeroed,
        "recipe": recipe_fields(generated.recipe if generated else None),
        "pool": attachments.add(pool),
    }


def _value(argument: ArrayArgument) -> str | int:
    if argument.generated is None:
        return 0
    return value_field(argument.generated.recipe, argument.generated.key)
