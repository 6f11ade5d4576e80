"""Lower precision than the parameters have: evidence from real compiler output, and when it holds a candidate back."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.device.protocol import RunRequest
from warpwright.verifier.precision import check_precision, lowering_instructions
from warpwright.verifier.verdict import Verdict
from warpwright.workload.model import Parameter, Policy, ScalarParameter, Workload
from warpwright.workload.values import Array

NARROW = ".reg .b16 %h; cvt.rn.f16.f32 %h, %f1; // cvt.rn.bf16.f32\n"
HEADER = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <mma.h>\n"
BODIES = {
    "y[i] = 2.0f * x[i];": (),
    "y[i] = __expf(x[i]) + (int)x[i] + (float)(2.0 * x[i]);": (),
    "y[i] = __half2float(__float2half(x[i]) * __float2half(2.f));": ("cvt.rn.f16.f32",),
    "y[i] = __bfloat162float(__float2bfloat16(x[i]));": ("cvt.rn.bf16.f32",),
    "y[i] = nvcuda::wmma::__float_to_tf32(x[i]);": ("cvt.rna.tf32.f32",),
}


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler(None) as opened:
        yield opened


@pytest.mark.parametrize(("body", "instructions"), BODIES.items(), ids=list(BODIES))
def test_conversions_of_real_compiler_output(
    scale: Workload, compiler: Compiler, body: str, instructions: tuple[str, ...]
) -> None:
    source = f'{HEADER}extern "C" __global__ void k(float* y, const float* x) {{ int i = threadIdx.x; {body} }}\n'
    outcome = compiler.compile(CompileRequest(source, "kernel.cu", "sm_90", ("k",), defines={}, headers={}))
    assert isinstance(outcome, Compiled), outcome
    assert lowering_instructions(scale, outcome.ptx) == instructions


@pytest.mark.parametrize(
    "instruction",
    [
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16",
    ],
)
def test_matrix_instructions_count_by_the_type_of_their_factors(scale: Workload, instruction: str) -> None:
    assert lowering_instructions(scale, f"{instruction} {{%f1}}, {{%r1}};") == (instruction,)


def test_matrix_instructions_of_float64_and_integers_are_none(scale: Workload) -> None:
    ptx = (
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1};\n"
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%r1};"
    )
    assert not lowering_instructions(scale, ptx)


def with_parameters(workload: Workload, *extra: Parameter) -> Workload:
    return replace(workload, parameters=(*workload.parameters, *extra))


def test_a_narrow_parameter_or_the_policy_makes_it_lawful(scale: Workload) -> None:
    assert lowering_instructions(scale, NARROW) == ("cvt.rn.f16.f32",)
    assert not lowering_instructions(with_parameters(scale, ScalarParameter("h", "float16", 1.0)), NARROW)
    assert not lowering_instructions(replace(scale, policy=Policy(lower_precision=True)), NARROW)


def test_float64_parameters_are_not_rounded_to_float32(scale: Workload) -> None:
    integers = tuple(p for p in scale.parameters if p.dtype == "int32")
    doubles = replace(scale, parameters=(ScalarParameter("d", "float64", 1.0), *integers))
    rounding = "cvt.rn.f32.f64 %f1, %fd1;"
    assert lowering_instructions(doubles, rounding) == ("cvt.rn.f32.f64",)
    assert not lowering_instructions(scale, rounding)
    assert not lowering_instructions(replace(scale, parameters=integers), NARROW)


def test_evidence_alone_is_a_note(scale: Workload) -> None:
    found = check_precision(scale, NARROW, 0.2)
    assert found is not None
    assert found.label is None
    assert "cvt.rn.f16.f32), well within the tolerance" in found.message


@pytest.mark.parametrize(("error", "held"), [(0.0, False), (8e-7, True)])
def test_evidence_and_a_narrow_pass_hold_the_candidate(judge: Callable[..., Verdict], error: float, held: bool) -> None:
    def rough(arrays: dict[str, Array], request: RunRequest) -> None:
        arrays["y"][:] = 2 * arrays["x"]
        arrays["positive"][0] = (arrays["x"] > 0).sum()
        arrays["y"][np.abs(arrays["y"]).argmax()] *= np.float32(1 + error)

    verdict = judge(rough, ptx=NARROW)
    assert verdict.passed
    assert (verdict.held is not None) is held
    if verdict.held is not None:
        assert verdict.held.label == "suspicious.low_precision"
        assert "of its error budget. Compute in the precision of the parameters" in verdict.held.message
    else:
        assert "less precision than its parameters have" in verdict.notes[-1]
