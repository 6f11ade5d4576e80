from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileFailed, CompileOutcome, CompileRequest, Diagnostic

SAXPY = """extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
MANY = """template <class T, int N> __global__ void fill(T* x) { x[threadIdx.x] = T(N); }
namespace inner { __global__ void zero(int* x) { x[0] = 0; } }
__global__ void plain(int* x) { x[0] = VALUE; }
__global__ void twice(int* x) { x[0] = 2; }
__global__ void twice(float* x) { x[0] = 2; }
"""
EMPTY = 'extern "C" __global__ void k() {}\n'


def request(source: str, *entries: str, **fields: Any) -> CompileRequest:
    base = CompileRequest(source, "kernel.cu", "sm_90", entries or ("k",), defines={}, headers={})
    return replace(base, **fields)


def compiled(outcome: CompileOutcome) -> Compiled:
    assert isinstance(outcome, Compiled), outcome
    return outcome


def failed(outcome: CompileOutcome) -> CompileFailed:
    assert isinstance(outcome, CompileFailed), outcome
    return outcome


def test_a_kernel_becomes_ptx_and_cubin_for_the_exact_target(compiler: Compiler) -> None:
    outcome = compiled(compiler.compile(request(SAXPY, "saxpy")))
    assert outcome.arch == "sm_90"
    assert ".target sm_90" in outcome.ptx
    assert ".visible .entry saxpy(" in outcome.ptx
    assert '.file\t1 "kernel.cu"' in outcome.ptx
    assert outcome.cubin[:4] == b"\x7fELF"
    assert outcome.lowered == {"saxpy": "saxpy"}
    assert outcome.compiler.startswith("NVRTC ")
    assert not outcome.cached


def test_templates_namespaces_and_mangled_names_are_entries(compiler: Compiler) -> None:
    outcome = compiled(compiler.compile(request(MANY, "fill<float, 4>", "inner::zero", "plain", defines={"VALUE": 7})))
    assert outcome.lowered == {
        "fill<float, 4>": "_Z4fillIfLi4EEvPT_",
        "inner::zero": "_ZN5inner4zeroEPi",
        "plain": "_Z5plainPi",
    }
    assert set(outcome.resources) == set(outcome.lowered)


def test_an_unknown_entry_is_answered_with_those_that_are_there(compiler: Compiler) -> None:
    outcome = failed(compiler.compile(request(MANY, "missing", defines={"VALUE": 7})))
    assert outcome.reason == "entry_not_found"
    assert outcome.message == (
        'kernel.cu: no __global__ function "missing"; the source has inner::zero, plain, twice. Use that name as entry, '
        'declare it extern "C", or name a template with its arguments: missing<float>.'
    )


def test_an_overloaded_entry_is_answered_with_its_overloads(compiler: Compiler) -> None:
    outcome = failed(compiler.compile(request(MANY, "twice", defines={"VALUE": 7})))
    assert outcome.reason == "entry_not_found"
    assert outcome.message == (
        'kernel.cu: kernel "twice" is overloaded: _Z5twicePf, _Z5twicePi. Declare the one that is meant as extern "C".'
    )


def test_an_instance_of_an_unknown_template_is_an_entry_not_found(compiler: Compiler) -> None:
    outcome = failed(compiler.compile(request(MANY, "empty<float>", defines={"VALUE": 7})))
    assert outcome.reason == "entry_not_found"
    assert 'identifier "empty" is undefined' in outcome.message


def test_resources_are_what_ptxas_reports(compiler: Compiler) -> None:
    source = """extern "C" __global__ void __launch_bounds__(1024, 2) k(float* x, int n) {
    __shared__ float tile[256];
    float kept[64];
    for (int i = 0; i < 64; ++i) kept[i] = x[i * n] * x[i];
    tile[threadIdx.x] = kept[n];
    __syncthreads();
    for (int i = 0; i < 64; ++i) x[i] = kept[i] + tile[i] * kept[63 - i];
}
"""
    resources = compiled(compiler.compile(request(source))).resources["k"]
    assert resources.registers is not None
    assert 16 <= resources.registers <= 32
    assert resources.shared_static_bytes == 1024
    assert resources.local_bytes is not None
    assert resources.local_bytes >= 256
    assert resources.spill_store_bytes is not None


def test_a_syntax_error_has_the_users_line(compiler: Compiler) -> None:
    source = SAXPY.replace("y[i];\n", "y[i]\n")
    outcome = failed(compiler.compile(request(source, "saxpy")))
    assert outcome.reason == "syntax"
    assert outcome.message == 'kernel.cu(4): error: expected a ";"'
    assert Diagnostic("kernel.cu", 4, "error", 'expected a ";"') in outcome.diagnostics
    assert outcome.log == 'kernel.cu(4): error: expected a ";"\n  }\n  ^'


def test_lines_are_the_users_in_headers_too(compiler: Compiler) -> None:
    headers = {"tile.h": "#pragma once\n__device__ float half_of(float x) { return x / two; }\n"}
    outcome = failed(compiler.compile(request('#include "tile.h"\n' + EMPTY, headers=headers)))
    assert outcome.message == 'tile.h(2): error: identifier "two" is undefined'


def test_warnings_of_the_user_are_kept(compiler: Compiler) -> None:
    outcome = compiled(compiler.compile(request('extern "C" __global__ void k() {\n    int unused = 3;\n}\n')))
    assert outcome.diagnostics == (
        Diagnostic("kernel.cu", 2, "warning", 'variable "unused" was declared but never referenced'),
    )


def test_defines_and_listed_headers_reach_the_source(compiler: Compiler) -> None:
    source = '#include "sub/shape.h"\nstatic_assert(ROWS == 3 && COLS == 5, "");\n' + EMPTY
    compiled(compiler.compile(request(source, defines={"ROWS": 3}, headers={"sub/shape.h": "#define COLS 5\n"})))


@pytest.mark.parametrize(
    "includes",
    [
        "stdio.h stdlib.h stddef.h stdint.h inttypes.h stdbool.h string.h assert.h math.h limits.h float.h",
        "cstdio cstdlib cstddef cstdint cinttypes cstring cassert cmath climits cfloat",
        "cuda_runtime.h device_launch_parameters.h cuda_fp16.h cuda_bf16.h math_constants.h vector_types.h mma.h",
        "algorithm cuda/std/limits limits cmath stdint.h",
    ],
    ids=["C", "C++", "CUDA", "algorithm"],
)
def test_habitual_headers_compile(compiler: Compiler, includes: str) -> None:
    source = "".join(f"#include <{name}>\n" for name in includes.split()) + EMPTY
    compiled(compiler.compile(request(source)))


def test_constants_and_std_names_of_the_stubs_work(compiler: Compiler) -> None:
    source = """#include <cmath>
#include <algorithm>
#include <cstdint>
#include <cfloat>
#include <climits>
extern "C" __global__ void k(float* x, std::int64_t n) {
    x[0] = std::max(std::sqrt(x[1]), float(M_PI)) + (n == INT_MAX ? INFINITY : FLT_MAX);
}
"""
    compiled(compiler.compile(request(source)))


def test_too_much_static_shared_memory_says_how_much(compiler: Compiler) -> None:
    source = """extern "C" __global__ void k(float* x) {
    __shared__ float tile[16384];
    tile[threadIdx.x] = x[0];
    __syncthreads();
    x[1] = tile[5];
}
"""
    outcome = failed(compiler.compile(request(source)))
    assert outcome.reason == "resources"
    assert outcome.message == (
        "kernel.cu: kernel k has 65536 bytes of static shared memory; 49152 is the limit. "
        "Use dynamic shared memory (extern __shared__) for more."
    )


def test_an_unknown_architecture_names_the_supported_ones(compiler: Compiler) -> None:
    outcome = failed(compiler.compile(request(EMPTY, arch="sm_30")))
    low, high = compiler.nvrtc.supported_archs[0], compiler.nvrtc.supported_archs[-1]
    assert outcome.reason == "unsupported_arch"
    assert outcome.message == f"{compiler.nvrtc.label} compiles for sm_{low} to sm_{high}; sm_30 was asked for."


@pytest.mark.parametrize("option", ["--use_fast_math", "-maxrregcount=32", "--std=c++20", "--fmad=false"])
def test_allowed_options_compile(compiler: Compiler, option: str) -> None:
    compiled(compiler.compile(request(EMPTY, options=(option,))))


def test_fast_math_is_off_unless_listed(compiler: Compiler) -> None:
    source = 'extern "C" __global__ void k(float* x) { x[0] = x[1] / x[2]; }\n'
    exact = compiled(compiler.compile(request(source))).ptx
    fast = compiled(compiler.compile(request(source, options=("--use_fast_math",)))).ptx
    assert "div.rn.f32" in exact
    assert "div.approx.ftz.f32" in fast


@pytest.mark.parametrize(
    "option",
    [
        "-I/etc",
        "--include-path=/etc",
        "-include=/etc/passwd",
        "--pre-include=x.h",
        "-DX=1",
        "-rdc=true",
        "@options",
        "",
    ],
)
def test_other_options_are_refused(compiler: Compiler, option: str) -> None:
    outcome = failed(compiler.compile(request(EMPTY, options=(option,))))
    assert outcome.reason == "policy"
    assert outcome.message.startswith(f'compile option "{option}" is not allowed. Allowed: --use_fast_math')


def test_no_host_path_is_in_any_text(compiler: Compiler) -> None:
    source = "#include <cuda_fp16.h>\n__device__ int __half2float(int x);\n" + EMPTY.replace("{}", "{ y = 1; }")
    outcome = failed(compiler.compile(request(source)))
    places = [str(directory) for directory in compiler.nvrtc.include_directories] + [str(Path.home())]
    everything = outcome.message + outcome.log + repr(outcome.diagnostics)
    assert not [place for place in places if place in everything]


def test_two_workers_compile_at_the_same_time() -> None:
    sources = [f'extern "C" __global__ void f(int* x) {{ x[0] = {n}; }}' for n in range(6)]
    requests = [CompileRequest(source, "kernel.cu", "sm_90", ("f",), {}, {}) for source in sources]
    with Compiler(None, workers=2) as pair, ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(pair.compile, requests))
        assert all(isinstance(outcome, Compiled) for outcome in outcomes)
        texts = [outcome.ptx for outcome in outcomes if isinstance(outcome, Compiled)]
        assert len(set(texts)) == len(sources)
        assert pair.worker_pid is not None
    assert pair.worker_pid is None
