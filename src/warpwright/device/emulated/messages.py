"""Requests as JSON for the worker, and what comes back: plain values, no pickle.

Array contents travel beside the JSON as raw buffers, in the order of the arguments that have a value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan, ResolvedScratch
from warpwright.device.protocol import (
    Argument,
    Array,
    ArrayArgument,
    Fault,
    FaultKind,
    Modified,
    Program,
    RunRequest,
    ScalarArgument,
    TimeRequest,
)
from warpwright.hardware import GpuSpec
from warpwright.hardware.gpu_spec import Dim3, LaunchLimits, MemorySizes, Throughput
from warpwright.workload.dtypes import numpy_dtype
from warpwright.workload.model import Role


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """An array or scratch buffer as the worker lays it out.

    has_value: its bytes follow the message. returned: they come back after a run. constant: the run must not change them.
    """

    name: str
    size_bytes: int
    align_bytes: int
    fill: int
    has_value: bool
    returned: bool = False
    constant: bool = False


def run_message(request: RunRequest) -> dict[str, Any]:
    """A run; outputs are poisoned unless declared zeroed."""
    return {
        **_common(request.program, request.plan, request.arguments, request.poison),
        "kind": "run",
        "least_alignment": request.least_alignment,
    }


def time_message(request: TimeRequest, gpu: GpuSpec) -> dict[str, Any]:
    """An estimate; outputs and scratch begin as zero, the plainest content that a sampled run can meet."""
    return {
        **_common(request.program, request.plan, request.arguments, 0),
        "kind": "time",
        "least_alignment": False,
        "cold_cache": request.cold_cache,
        "gpu": asdict(gpu),
    }


def spill_notes(request: TimeRequest) -> tuple[str, ...]:
    """What an estimate leaves out of a kernel that ptxas gave too few registers: it goes by the PTX, which has no spills."""
    notes: dict[str, None] = {}
    for entry in (launch.entry for launch in request.plan.launches):
        resources = request.program.resources.get(entry)
        spilled = 0 if resources is None else (resources.spill_store_bytes or 0) + (resources.spill_load_bytes or 0)
        if spilled:
            notes[
                f"ptxas spills {spilled} bytes a thread of {entry}, which neither its counts nor its estimate include."
            ] = None
    return tuple(notes)


def values(arguments: Sequence[Argument]) -> list[Array]:
    """The host arrays to send, contiguous, in order."""
    arrays = [a for a in arguments if isinstance(a, ArrayArgument) and a.value is not None]
    return [np.ascontiguousarray(a.value).reshape(-1).view(np.uint8) for a in arrays]


def outputs_from(arguments: Sequence[Argument], buffers: Sequence[bytearray]) -> dict[str, Array]:
    """Every output, from the buffers that the worker sent back in the order of the arguments."""
    parameters = [a for a in arguments if isinstance(a, ArrayArgument) and a.role is not Role.IN]
    return {
        a.name: np.frombuffer(buffer, numpy_dtype(a.dtype)).reshape(a.shape)
        for a, buffer in zip(parameters, buffers, strict=True)
    }


def modified_message(modified: Sequence[Modified]) -> list[dict[str, Any]]:
    """Changed inputs as plain values."""
    return [asdict(change) for change in modified]


def modified_from(body: Mapping[str, Any]) -> tuple[Modified, ...]:
    """Changed inputs from a reply."""
    return tuple(Modified(**fields) for fields in body["modified"])


def places(body: Mapping[str, Any]) -> list[ArrayPlace]:
    """Arrays, then scratch, in the order of the message."""
    return [ArrayPlace(**fields) for fields in body["places"]]


def plan_from(body: Mapping[str, Any]) -> ResolvedPlan:
    """The launches of a message; scratch is among its places."""
    launches = tuple(
        ResolvedLaunch(
            **{**launch, "grid": _dim3(launch["grid"]), "block": _dim3(launch["block"]), "args": tuple(launch["args"])}
        )
        for launch in body["launches"]
    )
    return ResolvedPlan(launches, ())


def gpu_from(fields: Mapping[str, Any]) -> GpuSpec:
    """A GPU description from its plain values."""
    major, minor = fields["compute_capability"]
    limits = {**fields["limits"]}
    for name in ("max_block", "max_grid"):
        limits[name] = _dim3(limits[name])
    return GpuSpec(
        **{
            **fields,
            "compute_capability": (major, minor),
            "limits": LaunchLimits(**limits),
            "throughput": Throughput(**fields["throughput"]),
            "memory": MemorySizes(**fields["memory"]),
        }
    )


def fault_message(fault: Fault) -> dict[str, Any]:
    """A fault as plain values."""
    return asdict(fault)


def fault_from(fields: Mapping[str, Any]) -> Fault:
    """A fault from its plain values."""
    block, thread = fields["block"], fields["thread"]
    return Fault(
        kind=FaultKind(fields["kind"]),
        message=fields["message"],
        entry=fields["entry"],
        line=fields["line"],
        block=None if block is None else _dim3(block),
        thread=None if thread is None else _dim3(thread),
    )


def _common(program: Program, plan: ResolvedPlan, arguments: Sequence[Argument], fill: int) -> dict[str, Any]:
    arrays = [_array_place(a, fill) for a in arguments if isinstance(a, ArrayArgument)]
    scratch = [_scratch_place(s, fill) for s in plan.scratch]
    return {
        "ptx": program.ptx,
        "source_name": program.source_name,
        "lowered": dict(program.lowered),
        "registers": {entry: resources.registers for entry, resources in program.resources.items()},
        "launches": [asdict(launch) for launch in plan.launches],
        "places": [asdict(place) for place in (*arrays, *scratch)],
        "scalars": {a.name: a.packed.hex() for a in arguments if isinstance(a, ScalarArgument)},
    }


def _array_place(argument: ArrayArgument, fill: int) -> ArrayPlace:
    size = numpy_dtype(argument.dtype).itemsize * _elements(argument.shape)
    zeroed = argument.zeroed and argument.role is Role.OUT
    return ArrayPlace(
        argument.name,
        size,
        argument.align_bytes,
        0 if zeroed else fill,
        has_value=argument.value is not None,
        returned=argument.role is not Role.IN,
        constant=argument.role is Role.IN,
    )


def _scratch_place(scratch: ResolvedScratch, fill: int) -> ArrayPlace:
    size = numpy_dtype(scratch.dtype).itemsize * _elements(scratch.shape)
    return ArrayPlace(scratch.name, size, 256, fill, has_value=False)


def _elements(shape: Sequence[int]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _dim3(sizes: Sequence[int]) -> Dim3:
    x, y, z = sizes
    return x, y, z
