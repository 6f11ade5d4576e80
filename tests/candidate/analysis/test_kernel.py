"""Indices, guards and accesses of a kernel as the moves see them."""

import pytest

from warpwright.candidate.analysis.access import Deed, Space
from warpwright.candidate.analysis.distribution import Among, distribution
from warpwright.candidate.analysis.guard import skeleton_of
from warpwright.candidate.analysis.kernel import KernelModel, read_kernel
from warpwright.candidate.analysis.loops import counted_loop
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_nodes import of_type, text_of


def kernel(body: str, block: tuple[str, ...] = ("256",)) -> KernelModel:
    text = f"__global__ void k(const float* x, float* y, float4* y4, int n, int m) {{ {body} }}"
    return read_kernel(parse_source(text), "k", block)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("int i = blockIdx.x * blockDim.x + threadIdx.x;", [("i", "x")]),
        ("unsigned i = threadIdx.y + blockDim.y * blockIdx.y;", [("i", "y")]),
        ("size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, k = i + 1;", [("i", "x")]),
        ("int b = blockIdx.x * 256; int i = b + threadIdx.x;", []),
        ("int i = blockIdx.x * BLOCK + threadIdx.x;", []),
        ("int i = blockIdx.x * blockDim.x + threadIdx.x; i += 1;", []),
        ("int i = threadIdx.x;", []),
    ],
)
def test_index_variables(body: str, found: list[tuple[str, str]]) -> None:
    assert [(i.name, i.axis) for i in kernel(body).indices] == found


def test_the_plans_block_stands_for_block_dim() -> None:
    assert [i.name for i in kernel("int i = blockIdx.x * BLOCK + threadIdx.x;", ("BLOCK",)).indices] == ["i"]


INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


@pytest.mark.parametrize(
    ("body", "limits", "nested", "work"),
    [
        (f"{INDEX} if (i >= n) return; y[i] = 1; y[i] = 2;", {"i": "n"}, False, 2),
        (f"{INDEX} if (n <= i) {{ return; }} y[i] = 1;", {"i": "n"}, False, 1),
        (f"{INDEX} const float* p = x + m; if (i < n * m) {{ y[i] = 1; }}", {"i": "n * m"}, True, 1),
        (f"{INDEX} y[i] = 1;", {}, False, 1),
        (f"{INDEX} if (i >= n || m > 3) return; y[i] = 1;", {}, False, 2),
        (f"{INDEX} if (i < n) y[i] = 1; else y[0] = 2;", {}, False, 1),
    ],
)
def test_guards(body: str, limits: dict[str, str], nested: bool, work: int) -> None:
    skeleton = skeleton_of(kernel(body))
    assert skeleton is not None
    assert {name: text_of(node) for name, node in skeleton.limits.items()} == limits
    assert (skeleton.nested, len(skeleton.body)) == (nested, work)


def test_work_after_a_guarded_block_is_no_skeleton() -> None:
    assert skeleton_of(kernel(f"{INDEX} if (i < n) {{ y[i] = 1; }} y[0] = 2;")) is None


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("y[0] = x[1];", [("y", Deed.STORE), ("x", Deed.LOAD)]),
        ("y[0] += 1; y[1]++;", [("y", Deed.UPDATE), ("y", Deed.UPDATE)]),
        ("*(y + m) = *x;", [("y", Deed.STORE), ("x", Deed.LOAD)]),
        ("atomicAdd(&y[m], 1.0f);", [("y", Deed.ATOMIC)]),
        ("atomicAdd(y, __ldg(&x[n]));", [("y", Deed.ATOMIC), ("x", Deed.LOAD)]),
        ("const float* p = x + m; y[0] = p[3];", [("y", Deed.STORE), ("x", Deed.LOAD)]),
        ("y4[0].x = 1;", [("y4", Deed.UPDATE)]),
        ("y[0] = y4[1].w;", [("y", Deed.STORE), ("y4", Deed.LOAD)]),
        ("f(y);", [("y", Deed.ESCAPE)]),
        ("f(&y[2]);", [("y", Deed.ESCAPE)]),
        ("float* p = y; p += 1; *p = 0;", [("y", Deed.ESCAPE)]),
        ("y[(int)x[n]] = 0;", [("y", Deed.STORE), ("x", Deed.LOAD)]),
    ],
)
def test_accesses(body: str, found: list[tuple[str, Deed]]) -> None:
    model = kernel(body)
    assert [(a.base, a.deed) for a in model.arrays.accesses(model.function.body)] == found


def test_members_count_as_changes_of_the_whole() -> None:
    model = kernel("float4 v = y4[0]; v.x += 1; v.y++; int i = n; y[i] = v.x;")
    assert model.assigned == {"v"}


def test_shared_and_local_arrays_have_their_space() -> None:
    model = kernel("__shared__ float s[4][5]; float l[3]; s[1][2] = l[0];")
    assert [(a.base, a.space) for a in model.arrays.accesses(model.function.body)] == [
        ("s", Space.SHARED),
        ("l", Space.LOCAL),
    ]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("int c = 0; c < n; ++c", (Among.ALONE, 0)),
        ("int c = 2; c < n; ++c", (Among.ALONE, 2)),
        ("int c = threadIdx.x; c < n; c += blockDim.x", (Among.GROUP, 0)),
        ("int c = 1 + threadIdx.x; c < n; c += blockDim.x", (Among.GROUP, 1)),
        ("int c = threadIdx.x % 32; c < n; c += 32", (Among.GROUP, 0)),
        ("int c = blockIdx.x * blockDim.x + threadIdx.x; c < n; c += gridDim.x * blockDim.x", (Among.GRID, 0)),
        ("int c = threadIdx.x; c < n; c += 32", None),
        ("int c = threadIdx.x; c < n; ++c", None),
        ("int c = m; c < n; ++c", None),
    ],
)
def test_distributions(head: str, expected: tuple[Among, int] | None) -> None:
    model = kernel(f"for ({head}) y[c] = x[c];")
    loop = counted_loop(next(of_type(model.function.body, "for_statement")))
    assert loop is not None
    dealt = distribution(model, loop, "256")
    assert (None if dealt is None else (dealt.among, dealt.first)) == expected
