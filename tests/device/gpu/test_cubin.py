"""Variables that a module keeps between launches: found in real cubins, loaded even where the driver does not know them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from device.gpu.conftest import OpenGpu
from device.gpu.kernels import measure_request, plan, program
from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu.cubin import writable_variables
from warpwright.device.gpu.process.client import HarnessClient, HarnessError
from warpwright.device.gpu.process.module_loading import load_restoring
from warpwright.device.gpu.wire.messages import Answer
from warpwright.device.gpu.wire.replies import WireError
from warpwright.device.measuring import Contestant, Measured

KEEPING = """\
__device__ int calls = 3;
static __device__ float kept[4];
namespace { __device__ int hidden; }
__constant__ float table[4] = {1, 2, 3, 4};
extern "C" __global__ void scale(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) { calls++; hidden++; kept[calls & 3] = x[0]; }
    if (i < n) y[i] = 2 * x[i] + 0 * kept[hidden & 3] * table[n & 3];
}
"""


@dataclass
class Loading:
    """A harness that knows some variables only."""

    known: frozenset[str]
    asked: list[list[str]] = field(default_factory=list)

    def request(self, operation: str, fields: dict[str, Any], attachments: Sequence[object], **_: object) -> Answer:
        self.asked.append(fields["globals"])
        for name in fields["globals"]:
            if name not in self.known:
                message = f"load {fields['name']}: the cubin has no variable {name}"
                raise HarnessError(operation, WireError(kind="request", message=message))
        return Answer({"id": 1, "kernels": {}}, ())


def test_variables_of_every_linkage_are_found_and_constants_are_not(compiler: Compiler) -> None:
    found = writable_variables(program(compiler, KEEPING).cubin)
    assert "calls" in found
    assert any("kept" in name for name in found)
    assert any("hidden" in name for name in found)
    assert not any("table" in name for name in found)
    assert writable_variables(program(compiler).cubin) == ()


@pytest.mark.parametrize("cubin", [b"", b"no ELF file", b"\x7fELF" + bytes(60), b"\x7fELF" + bytes([255]) * 70])
def test_what_is_no_cubin_has_no_variables(cubin: bytes) -> None:
    assert writable_variables(cubin) == ()


def test_what_the_driver_does_not_find_is_left_out_and_told(compiler: Compiler) -> None:
    harness = Loading(frozenset({"calls"}))
    missing = load_restoring(cast("HarnessClient", harness), "A", program(compiler, KEEPING))
    assert len(missing) == 2
    assert "calls" not in missing
    assert harness.asked[-1] == ["calls"]


def test_another_refusal_is_not_taken_for_a_missing_variable(compiler: Compiler) -> None:
    harness = Loading(frozenset())
    with pytest.raises(HarnessError, match="no variable elsewhere"):
        load_restoring(cast("HarnessClient", Elsewhere(harness)), "A", program(compiler, KEEPING))


@dataclass
class Elsewhere:
    """Complains of a variable that nobody asked for."""

    harness: Loading

    def request(self, operation: str, *_: object, **__: object) -> Answer:
        message = "load A: the cubin has no variable elsewhere"
        raise HarnessError(operation, WireError(kind="request", message=message))


def test_a_module_with_variables_is_measured(gpu: OpenGpu, compiler: Compiler) -> None:
    request = measure_request(compiler, contestants=(Contestant(program(compiler, KEEPING), plan(1000)),))
    device = gpu()
    first, second = device.measure(request), device.measure(request)
    assert isinstance(first, Measured), first
    assert isinstance(second, Measured), second
    assert first.unavailable == second.unavailable
    told = first.unavailable.get("restored_variables", "the driver does not find")
    assert told.startswith("the driver does not find")
