"""The parameter block of a launch: each argument at the offset that the PTX declares."""

from collections.abc import Sequence

from warpwright.emulator.ptx.ir import Parameter


def argument_fault(entry: str, parameters: Sequence[Parameter], arguments: Sequence[bytes]) -> str | None:
    """Why these arguments do not fit the kernel's parameters, in one sentence; None if they fit."""
    declared = [parameter.size_bytes for parameter in parameters]
    given = [len(argument) for argument in arguments]
    if declared == given:
        return None
    return f"kernel {entry} takes {_sizes(declared)}; the launch passes {_sizes(given)}"


def pack_parameters(parameters: Sequence[Parameter], size_bytes: int, arguments: Sequence[bytes]) -> bytes:
    """The block of `size_bytes`, padding zero. The arguments have been checked with `argument_fault`."""
    block = bytearray(size_bytes)
    for parameter, argument in zip(parameters, arguments, strict=True):
        block[parameter.offset : parameter.offset + parameter.size_bytes] = argument
    return bytes(block)


def _sizes(sizes: list[int]) -> str:
    noun = "parameter" if len(sizes) == 1 else "parameters"
    listed = f" of {', '.join(map(str, sizes))} bytes" if sizes else ""
    return f"{len(sizes)} {noun}{listed}"
