"""Failures that are found before anything runs: plan, limits, policy, compile, signature."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType

import pytest

from warpwright.candidate.candidate import Candidate, CaseOverride
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.evaluation.bench import Bench
from warpwright.evaluation.building.signature import entry_parameters

Modified = Callable[..., Candidate]


def evaluate(bench: Bench, candidate: Candidate) -> tuple[str, str, int | None]:
    found = bench.evaluator.evaluate(candidate)
    assert [case.passed for case in found.cases] == [None, None, None]
    assert found.geomean_us is None
    return found.label, found.message, found.line


PLANS = {
    "block too large": (
        {"block": ("32", "64")},
        "invalid_plan.limits",
        "case one (n=1): axpb: block (32, 64, 1) has 2048 threads; sm_90 allows 1024. Use block.y <= 32.",
    ),
    "unknown name": (
        {"grid": ("ceil_div(m, BLOCK)",)},
        "invalid_plan.expression",
        None,
    ),
    "case for the GPU alone": (
        {"grid": ("1", "max(1, n // 10)")},
        "invalid_plan.limits",
        (
            "case large (n=1000000): axpb: grid (1, 100000, 1) has grid.y = 100000; sm_90 allows 65535. "
            "Put the long axis on x, or loop over it inside the kernel."
        ),
    ),
    "too much shared memory": (
        {"shared": "4 * n"},
        "invalid_plan.limits",
        None,
    ),
    "unknown argument": (
        {"args": ("y", "x", "c", "a", "n")},
        "invalid_plan.signature",
        "case one: args of axpb name 'c'; known parameters and scratch: y, x, b, a, n",
    ),
    "too few arguments": (
        {"args": ("y", "x", "b", "a")},
        "invalid_plan.signature",
        (
            "kernel axpb takes 5 parameters; the launch passes 4: "
            "y (float32 pointer), x (float32 pointer), b (float32 pointer), a (float32)"
        ),
    ),
    "no such kernel": ({"entry": "saxpy"}, "compile_error.entry_not_found", None),
}


@pytest.mark.parametrize(("launch", "label", "message"), PLANS.values(), ids=PLANS)
def test_a_bad_plan_is_refused(
    bench: Bench, kernel: Modified, launch: dict[str, object], label: str, message: str | None
) -> None:
    found = evaluate(bench, kernel(**launch))
    assert found[0] == label
    assert message is None or found[1] == message


def test_an_override_for_no_case_is_refused(bench: Bench, kernel: Modified) -> None:
    candidate = kernel()
    plan = replace(candidate.plan, overrides=MappingProxyType({"tiny": CaseOverride(block=("32",))}))
    label, message, _ = evaluate(bench, replace(candidate, plan=plan))
    assert label == "invalid_plan.signature"
    assert message == "[kernel.case.tiny] names no case; the workload has large, one, ragged, timed"


def test_a_syntax_error_names_file_and_line(bench: Bench, kernel: Modified) -> None:
    label, message, line = evaluate(bench, kernel("if (i < n) y[i] = a * x[i] + b[i]"))
    assert label == "compile_error.syntax"
    assert 'kernel.cu(5): error: expected a ";"' in message
    assert line == 5


def test_a_scalar_of_another_width_is_refused(bench: Bench, kernel: Modified) -> None:
    candidate = kernel()
    wide = replace(candidate, source=candidate.source.replace("float a", "double a"))
    label, message, _ = evaluate(bench, wide)
    assert label == "invalid_plan.signature"
    assert message == (
        "kernel axpb: parameter 4 is 8 bytes wide; the workload passes a as float32, 4 bytes. Give the parameter that type."
    )


def test_too_many_registers_for_the_block_are_refused(bench: Bench, kernel: Modified) -> None:
    body = (
        "float r[160]; for (int k = 0; k < 160; ++k) r[k] = x[(i + k * 7) % n];\n"
        "#pragma unroll\nfor (int s = 0; s < 3; ++s)\n#pragma unroll\nfor (int k = 0; k < 160; ++k) "
        "r[k] = r[k] * r[(k + 77 + s) % 160] + r[(k * 3 + s) % 160];\n"
        "float t = 0; for (int k = 0; k < 160; ++k) t += r[k]; if (i < n) y[i] = t;"
    )
    label, message, _ = evaluate(bench, kernel(body, block=("1024",), grid=("ceil_div(n, 1024)",)))
    assert label == "launch_error.resources"
    assert "Or use __launch_bounds__(1024)." in message


def test_the_heap_is_refused(bench: Bench, kernel: Modified) -> None:
    label, message, _ = evaluate(bench, kernel("float* p = (float*)malloc(4); *p = a; if (i < n) y[i] = *p; free(p);"))
    assert label == "invalid_plan.policy"
    assert message.startswith("the kernel calls free, malloc: the device heap outlives a launch.")


PARAMETERS = {
    "pointers and scalars": ("float* y, const double* x, int n, float a, long long k", [8, 8, 4, 4, 8]),
    "narrow": ("unsigned char u, short s, bool b", [1, 2, 1]),
    "structure": ("float3 v, int n", [12, 4]),
    "none": ("", []),
}


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler(None) as opened:
        yield opened


@pytest.mark.parametrize(("parameters", "sizes"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameter_widths_are_read_from_real_ptx(compiler: Compiler, parameters: str, sizes: list[int]) -> None:
    source = f'extern "C" __global__ void k({parameters}) {{}}\n'
    compiled = compiler.compile(CompileRequest(source, "kernel.cu", "sm_90", ("k",), {}, {}))
    assert isinstance(compiled, Compiled)
    assert entry_parameters(compiled.ptx, "k") == sizes
