"""A workload made from a user's .cu file: what is read, what is guessed and said, what is left out, what is refused."""

from pathlib import Path

import pytest

from warpwright.errors import CandidateError, WorkloadError
from warpwright.workload.loader import load_workload
from warpwright.workload.model import ArrayParameter, OracleKind, ScalarParameter
from warpwright.workload.scaffold import Question, ScaffoldReport, scaffold_from_kernel

WITH_HOST = """#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define TILE 16
// Adds with a scale.
__device__ float scale(float v, float s) { return v * s; }
extern "C" __global__ void add(float *out, const float4 *a, const int *idx, int width, int height, float factor) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = scale(a[idx[x]].x, factor);
}
template <typename T> void check(T t) {}
int main() {
    int w = 100, h = 200;
    dim3 block(TILE, TILE);
    dim3 grid((w + block.x - 1) / block.x, (h + TILE - 1) / TILE);
    add<<<grid, block>>>(d, p, q, w, h, 2.0f);
}
"""
INDICES = "Indices need a range that stays inside the array they point into."
DEVICE_PART = """#include <cuda_runtime.h>
#define TILE 16
// Adds with a scale.
__device__ float scale(float v, float s) { return v * s; }
extern "C" __global__ void add(float *out, const float4 *a, const int *idx, int width, int height, float factor) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = scale(a[idx[x]].x, factor);
}
"""
HISTOGRAM = """extern "C" __global__ void histogram(const unsigned char* in, unsigned int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}
"""


def scaffold(tmp_path: Path, text: str, **options: object) -> ScaffoldReport:
    source = tmp_path / "user.cu"
    source.write_text(text, encoding="utf-8")
    return scaffold_from_kernel(source, tmp_path / "made", **options)  # type: ignore[arg-type]


def test_host_code_is_read_for_the_launch_and_left_out(tmp_path: Path) -> None:
    report = scaffold(tmp_path, WITH_HOST)
    workload = load_workload(report.directory)
    launch = workload.initial.plan.launches[0]
    assert (launch.grid, launch.block) == (("ceil_div(width, 16)", "ceil_div(height, 16)"), ("16", "16"))
    assert workload.initial.source == DEVICE_PART
    assert report.notes == (
        "grid and block are those of the launch on line 17 of user.cu",
        "left out of kernel.cu, because only device code is run: check(), main(), #include <cstdio>, #include <vector>",
        "reference.py is a stub: write what the kernel must compute, in NumPy",
    )


def test_signature(tmp_path: Path) -> None:
    workload = load_workload(scaffold(tmp_path, WITH_HOST).directory)
    assert [
        (p.name, p.role.value, p.dtype, p.shape, p.align_bytes)
        for p in workload.parameters
        if isinstance(p, ArrayParameter)
    ] == [
        ("out", "out", "float32", ("height", "width"), 4),
        ("a", "in", "float32", ("width", "4"), 16),
        ("idx", "in", "int32", ("width",), 4),
    ]
    assert [(p.name, p.dtype, p.value) for p in workload.parameters if isinstance(p, ScalarParameter)] == [
        ("width", "int32", "width"),
        ("height", "int32", "height"),
        ("factor", "float32", 0.75),
    ]


def test_every_guess_is_reported_and_marked(tmp_path: Path) -> None:
    report = scaffold(tmp_path, HISTOGRAM)
    assert report.guesses == (
        "value.n = n: is the integer n a size? Then it is a dim; else give its number or an expression over dims.",
        "shape.in = n: which shape has in, outermost first?",
        f"values.in = integers(0, 100): how is the input in filled? {INDICES}",
        "zeroed.bins = true: the kernel adds to it, so it is taken to hold 0 before each launch",
        "shape.bins = n: which shape has bins, outermost first?",
        "dims.n = 1..67108864: between which sizes must the kernel be right for n?",
        "grid = ceil_div(n, BLOCK); block = BLOCK: no launch of the kernel could be read",
        "cases.perf = 1048576: which size is to be fast? One number each for n.",
    )
    assert (report.directory / "workload.toml").read_text(encoding="utf-8").count("# guess: check this") == 7


def test_answers_replace_guesses(tmp_path: Path) -> None:
    answers = {"shape.bins": "256", "values.in": "integers(0, 255)", "dims.n": "1..1000", "cases.perf": "900"}
    asked: list[str] = []

    def ask(question: Question) -> str | None:
        asked.append(question.key)
        return answers.get(question.key)

    workload = load_workload(scaffold(tmp_path, HISTOGRAM, ask=ask).directory)
    assert asked == ["value.n", "shape.in", "values.in", "shape.bins", "dims.n", "cases.perf"]
    assert [a.shape for a in workload.arrays] == [("n",), ("256",)]
    assert workload.outputs[0].zeroed
    assert workload.dims["n"].high == 1000
    assert [c.dims for c in workload.cases] == [{"n": 1}, {"n": 1000}, {"n": 900}]


def test_the_stub_says_what_to_fill_in(tmp_path: Path) -> None:
    report = scaffold(tmp_path, HISTOGRAM)
    stub = (report.directory / "reference.py").read_text(encoding="utf-8")
    assert "def reference(n, **others):" in stub
    with pytest.raises(NotImplementedError, match=r"reference\.py: compute bins of shape \(n\) with NumPy and return"):
        exec(stub + "\nreference(n=3)")


def test_the_kernel_as_its_own_oracle(tmp_path: Path) -> None:
    report = scaffold(tmp_path, HISTOGRAM, oracle="kernel")
    assert load_workload(report.directory).oracle is OracleKind.KERNEL
    assert report.files == ("workload.toml", "kernel.cu")
    assert report.notes[-1] == (
        "the oracle is the kernel itself: candidates are checked against it, so its own mistakes stay"
    )


def test_one_case_has_another_number_for_each_float(tmp_path: Path) -> None:
    workload = load_workload(scaffold(tmp_path, WITH_HOST).directory)
    assert dict(workload.case("ragged").scalars) == {"factor": 0.375}


TWO = HISTOGRAM + HISTOGRAM.replace("void histogram", "void other") + "void go() { other<<<3, 64>>>(a, b, n); }"


@pytest.mark.parametrize(("entry", "chosen"), [(None, "other"), ("histogram", "histogram")])
def test_of_several_kernels_the_named_or_the_launched_one(tmp_path: Path, entry: str | None, chosen: str) -> None:
    assert scaffold(tmp_path, TWO, entry=entry).entry == chosen


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int main() {}", "user.cu: no __global__ function; a workload begins with a CUDA kernel."),
        (
            "template <typename T> __global__ void k(T* x) { x[0] = 1; }",
            "user.cu:1: k is a template; write the instantiation as a kernel of its own.",
        ),
        ("__global__ void k(float* x { x[0] = 1; }", "user.cu:1: k cannot be parsed."),
        (
            "__global__ void k(const float* x, int n) { float y = x[n]; }",
            "k: no parameter is written, so there is no result to check.",
        ),
    ],
    ids=["no kernel", "template", "broken", "no output"],
)
def test_kernels_that_are_no_workload(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(WorkloadError) as error:
        scaffold(tmp_path, text)
    assert str(error.value) == message
    assert not (tmp_path / "made").exists()


def test_a_structure_is_refused_with_the_types_that_have_a_dtype(tmp_path: Path) -> None:
    with pytest.raises(
        WorkloadError, match=r"^kernel parameter 'Body\* b': arrays of 'Body' have no dtype; known are "
    ):
        scaffold(tmp_path, "__global__ void k(Body* b, int n) { b[0].x = 1; }")


def test_an_unknown_entry(tmp_path: Path) -> None:
    with pytest.raises(CandidateError, match="no kernel 'nothing'; kernels in this file: histogram, other"):
        scaffold(tmp_path, TWO, entry="nothing")


def test_a_directory_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(WorkloadError, match="is not empty; name a new directory"):
        scaffold(tmp_path, HISTOGRAM)


def test_answers_that_do_not_fit_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(WorkloadError, match=r"cases\[2\] \(timed\)\.dims\.n: found 2000; allowed: 1\.\.1000"):
        scaffold(tmp_path, HISTOGRAM, ask=lambda q: {"dims.n": "1..1000", "cases.perf": "2000"}.get(q.key))
    assert list((tmp_path / "made").iterdir()) == []


@pytest.mark.parametrize("answer", ["many", "3, 4"])
def test_a_timed_size_that_does_not_fit_is_refused(tmp_path: Path, answer: str) -> None:
    with pytest.raises(WorkloadError, match=r"^cases\.perf: "):
        scaffold(tmp_path, HISTOGRAM, ask=lambda q: answer if q.key == "cases.perf" else None)


LAUNCHES = [
    ("k<<<(n + 255) / 256, 256>>>(x, n);", ("ceil_div(n, 256)",), ("256",)),
    ("k<<<(255 + n) >> 8, 256>>>(x, n);", ("ceil_div(n, BLOCK)",), ("BLOCK",)),
    ("const int t = 128; int b = (n - 1 + t) / t; k<<<b, t>>>(x, n);", ("ceil_div(n, 128)",), ("128",)),
    ("k<<<dim3(n, 2), dim3(32, 4, 1)>>>(x, n);", ("n", "2"), ("32", "4")),
    ("k<<<n / THREADS + 1, THREADS>>>(x, n);", ("(n // 64) + 1",), ("64",)),
    ("dim3 g = dim3(n); k<<<g, 32>>>(x, n);", ("n",), ("32",)),
    ("k<<<blocks(n), 256>>>(x, n);", ("ceil_div(n, BLOCK)",), ("BLOCK",)),
]


@pytest.mark.parametrize(("call", "grid", "block"), LAUNCHES, ids=[row[0] for row in LAUNCHES])
def test_launches_are_read_where_they_can_be(
    tmp_path: Path, call: str, grid: tuple[str, ...], block: tuple[str, ...]
) -> None:
    kernel = (
        "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }"
    )
    report = scaffold(tmp_path, f"#define THREADS 64\n{kernel}\nvoid go(float* x, int n) {{ {call} }}\n")
    launch = load_workload(report.directory).initial.plan.launches[0]
    assert (launch.grid, launch.block) == (grid, block)
