"""Kernels as users write them, with what a launch needs: the moves are tried on every one of them."""

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from warpwright.candidate.candidate import Candidate, Launch, LaunchPlan
from warpwright.workload.model import (
    ArrayParameter,
    Case,
    CaseKind,
    DeviceKind,
    DimRange,
    Parameter,
    Policy,
    Role,
    ScalarParameter,
    Tolerance,
    Workload,
    WorkModel,
)

KERNELS = Path(__file__).parent / "kernels"
BYTES = {"float32": 4, "int32": 4, "uint32": 4, "uint8": 1, "float64": 8, "int8": 1}


def array(name: str, role: str, dtype: str, *shape: str, zeroed: bool = False) -> ArrayParameter:
    return ArrayParameter(name, Role(role), dtype, shape, BYTES[dtype], None, zeroed=zeroed)


def scalar(name: str, value: str | int | float | None = None, dtype: str = "int32") -> ScalarParameter:
    return ScalarParameter(name, dtype, name if value is None else value)


@dataclass(frozen=True, slots=True)
class Entry:
    """One kernel of the corpus; sizes: dims of its check cases, the last one is also timed."""

    name: str
    parameters: tuple[Parameter, ...]
    dims: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]
    grid: tuple[str, ...]
    block: tuple[str, ...]
    tunables: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def workload(self) -> Workload:
        source = (KERNELS / f"{self.name}.cu").read_text(encoding="utf-8")
        launch = Launch(self.name, self.grid, self.block)
        initial = Candidate(source, LaunchPlan((launch,)), tunables=MappingProxyType(dict(self.tunables)))
        cases = [
            Case(
                name="x".join(map(str, size)),
                kind=CaseKind.PERF if size == self.sizes[-1] else CaseKind.CHECK,
                dims=dict(zip(self.dims, size, strict=True)),
                on=frozenset(DeviceKind),
                seed=1,
                scalars={},
            )
            for size in self.sizes
        ]
        return Workload(
            name=self.name,
            summary="",
            directory=KERNELS,
            dims={dim: DimRange(1, 4096) for dim in self.dims},
            parameters=self.parameters,
            tolerance=Tolerance(),
            initial=initial,
            reference_kernel=None,
            work=WorkModel(),
            cases=tuple(cases),
            policy=Policy(),
            cold_cache=True,
            content_hash=self.name,
        )


MATRIX = ("rows", "cols")
PLANE = ("ceil_div(cols, 16)", "ceil_div(rows, 16)")
FLAT = ("ceil_div(n, 256)",)
ROW = ("ceil_div(rows, 128)",)
MATRIX_SIZES = ((1, 1), (3, 1000), (67, 31), (130, 257))
FLAT_SIZES = ((1,), (1000,), (4096,), (10_007,))

CORPUS = (
    Entry(
        "softmax",
        (array("x", "in", "float32", *MATRIX), array("y", "out", "float32", *MATRIX), scalar("rows"), scalar("cols")),
        MATRIX, MATRIX_SIZES, ROW, ("128",),
    ),
    Entry(
        "softmax_in_place",
        (array("x", "inout", "float32", *MATRIX), scalar("rows"), scalar("cols")),
        MATRIX, MATRIX_SIZES, ROW, ("128",),
    ),
    Entry(
        "layernorm",
        (
            array("x", "in", "float32", *MATRIX), array("w", "in", "float32", "cols"), array("b", "in", "float32", "cols"),
            array("y", "out", "float32", *MATRIX), array("mean", "out", "float32", "rows"), scalar("rows"), scalar("cols"),
            scalar("eps", 1e-3, "float32"),
        ),
        MATRIX, MATRIX_SIZES, ("ceil_div(rows, BLOCK)",), ("BLOCK",), (("BLOCK", (128, 64)),),
    ),
    Entry(
        "row_extrema",
        (
            array("x", "in", "int32", *MATRIX), array("low", "out", "int32", "rows"), array("high", "out", "int32", "rows"),
            array("ones", "out", "int32", "rows"), scalar("rows"), scalar("cols"),
        ),
        MATRIX, MATRIX_SIZES, ROW, ("128",),
    ),
    Entry(
        "gemv",
        (
            array("a", "in", "float32", *MATRIX), array("x", "in", "float32", "cols"), array("y", "inout", "float32", "rows"),
            scalar("rows"), scalar("cols"), scalar("alpha", 0.5, "float32"),
        ),
        MATRIX, MATRIX_SIZES, ROW, ("128",),
    ),
    Entry(
        "column_sum",
        (array("x", "in", "float32", *MATRIX), array("y", "out", "float32", "cols"), scalar("rows"), scalar("cols")),
        MATRIX, MATRIX_SIZES, ("ceil_div(cols, 128)",), ("128",),
    ),
    Entry(
        "row_argmax",
        (array("x", "in", "float32", *MATRIX), array("at", "out", "int32", "rows"), scalar("rows"), scalar("cols")),
        MATRIX, MATRIX_SIZES, ROW, ("128",),
    ),
    Entry(
        "row_scan",
        (array("x", "in", "float32", *MATRIX), array("y", "out", "float32", *MATRIX), scalar("rows"), scalar("cols")),
        MATRIX, MATRIX_SIZES, ROW, ("128",),
    ),
    Entry(
        "two_pass_rows",
        (array("x", "in", "float32", *MATRIX), array("y", "out", "float32", *MATRIX), scalar("rows"), scalar("cols")),
        MATRIX, MATRIX_SIZES, ROW, ("128",),
    ),
    Entry(
        "transpose",
        (array("x", "in", "float32", *MATRIX), array("y", "out", "float32", "cols", "rows"), scalar("rows"), scalar("cols")),
        MATRIX, MATRIX_SIZES, PLANE, ("16", "16"),
    ),
    Entry(
        "transposed_axes",
        (array("x", "in", "float32", *MATRIX), array("y", "out", "float32", *MATRIX), scalar("rows"), scalar("cols")),
        MATRIX, MATRIX_SIZES, ("ceil_div(rows, 16)", "ceil_div(cols, 16)"), ("16", "16"),
    ),
    Entry(
        "matmul",
        (
            array("a", "in", "float32", "m", "k"), array("b", "in", "float32", "k", "n"),
            array("c", "out", "float32", "m", "n"), scalar("m"), scalar("n"), scalar("k"),
        ),
        ("m", "n", "k"), ((1, 1, 1), (17, 33, 65), (70, 130, 31)), ("ceil_div(n, 16)", "ceil_div(m, 16)"), ("16", "16"),
    ),
    Entry(
        "matmul_transposed",
        (
            array("a", "in", "float32", "k", "m"), array("b", "in", "float32", "n", "k"),
            array("c", "inout", "float32", "m", "n"), scalar("m"), scalar("n"), scalar("k"), scalar("beta", 0.25, "float32"),
        ),
        ("m", "n", "k"), ((1, 1, 1), (17, 33, 65), (70, 130, 31)), ("ceil_div(n, 16)", "ceil_div(m, 16)"), ("16", "16"),
    ),
    Entry(
        "reduce_sum",
        (array("x", "in", "float32", "n"), array("out", "out", "float32", "1", zeroed=True), scalar("n")),
        ("n",), FLAT_SIZES, FLAT, ("256",),
    ),
    Entry(
        "moments",
        (
            array("x", "in", "float32", "n"), array("sums", "out", "float32", "2", zeroed=True),
            array("peak", "out", "uint32", "1", zeroed=True), scalar("n"),
        ),
        ("n",), FLAT_SIZES, FLAT, ("256",),
    ),
    Entry(
        "histogram",
        (array("x", "in", "uint8", "n"), array("bins", "out", "uint32", "256", zeroed=True), scalar("n")),
        ("n",), FLAT_SIZES, FLAT, ("256",),
    ),
    Entry(
        "saxpy",
        (array("x", "in", "float32", "n"), array("y", "inout", "float32", "n"), scalar("a", 2.5, "float32"), scalar("n")),
        ("n",), FLAT_SIZES, FLAT, ("256",),
    ),
    Entry(
        "relu_u8",
        (
            array("x", "in", "int8", "n"), array("shift", "in", "int32", "n"), array("y", "out", "uint8", "n"),
            scalar("n", None, "uint32"),
        ),
        ("n",), FLAT_SIZES, FLAT, ("256",),
    ),
    Entry(
        "difference",
        (array("x", "in", "float32", "n"), array("y", "out", "float32", "n"), scalar("n")),
        ("n",), FLAT_SIZES, FLAT, ("256",),
    ),
)  # fmt: skip
