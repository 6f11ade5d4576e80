"""From a case's host values to the arguments that a device takes."""

from warpwright.device.protocol import Argument, ArrayArgument, ScalarArgument
from warpwright.workload.model import ArrayParameter, Workload
from warpwright.workload.values import CaseArguments


def device_arguments(workload: Workload, arguments: CaseArguments) -> tuple[Argument, ...]:
    """Every parameter in the kernel's order; scalars packed in the exact width of their dtype."""
    bound: list[Argument] = []
    for parameter in workload.parameters:
        if isinstance(parameter, ArrayParameter):
            bound.append(
                ArrayArgument(
                    name=parameter.name,
                    role=parameter.role,
                    dtype=parameter.dtype,
                    shape=arguments.shapes[parameter.name],
                    align_bytes=parameter.align_bytes,
                    value=arguments.inputs.get(parameter.name),
                    zeroed=parameter.zeroed,
                )
            )
        else:
            value = arguments.scalars[parameter.name]
            packed = value.astype(value.dtype.newbyteorder("<")).tobytes()
            bound.append(ScalarArgument(parameter.name, parameter.dtype, packed))
    return tuple(bound)
