import pytest

from warpwright.emulator.launch.parameters import argument_fault, pack_parameters
from warpwright.emulator.ptx.ir import Parameter

POINTER, COUNT, SCALE = Parameter("p", 8, 8, 0), Parameter("n", 4, 4, 8), Parameter("s", 8, 8, 16)


def test_arguments_lie_at_their_offsets_with_zeros_between() -> None:
    arguments = (b"\x01" * 8, b"\x02" * 4, b"\x03" * 8)
    assert argument_fault("k", (POINTER, COUNT, SCALE), arguments) is None
    packed = pack_parameters((POINTER, COUNT, SCALE), 24, arguments)
    assert packed == b"\x01" * 8 + b"\x02" * 4 + b"\x00" * 4 + b"\x03" * 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((b"\x00" * 8,), "kernel k takes 2 parameters of 8, 4 bytes; the launch passes 1 parameter of 8 bytes"),
        (
            (b"\x00" * 8, b"\x00" * 8),
            "kernel k takes 2 parameters of 8, 4 bytes; the launch passes 2 parameters of 8, 8 bytes",
        ),
        ((), "kernel k takes 2 parameters of 8, 4 bytes; the launch passes 0 parameters"),
    ],
    ids=["too few", "wrong width", "none"],
)
def test_arguments_that_do_not_fit_are_described(arguments: tuple[bytes, ...], message: str) -> None:
    assert argument_fault("k", (POINTER, COUNT), arguments) == message
