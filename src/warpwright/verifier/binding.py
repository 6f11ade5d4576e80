"""From a case's host values to the arguments that a device takes."""

from warpwright.device.protocol import Argument, ArrayArgument, ScalarArgument
from warpwright.workload.model import ArrayParameter, Workload
from warpwright.workload.values import CaseArguments


def device_arguments(workload: Workload, arguments: CaseArguments, *, on_device: bool = False) -> tuple[Argument, ...]:
    """Every parameter in the kernel's order; scalars packed in the exact width of their dtype.

    on_device: the device makes inputs that have a recipe by itself; their host arrays are not asked for.
    """
    generated = arguments.generated if on_device else {}
    bound: list[Argument] = []
    for parameter in workload.parameters:
        if isinstance(parameter, ArrayParameter):
            made_there = generated.get(parameter.name)
            bound.append(
                ArrayArgument(
                    name=parameter.name,
                    role=parameter.role,
                    dtype=parameter.dtype,
                    shape=arguments.shapes[parameter.name],
                    align_bytes=parameter.align_bytes,
                    value=None if made_there is not None else arguments.inputs.get(parameter.name),
                    zeroed=parameter.zeroed,
                    generated=made_there,
                )
            )
        else:
            value = arguments.scalars[parameter.name]
            packed = value.astype(value.dtype.newbyteorder("<")).tobytes()
            bound.append(ScalarArgument(parameter.name, parameter.dtype, packed))
    return tuple(bound)
