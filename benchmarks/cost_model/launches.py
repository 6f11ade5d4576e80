"""The launches that the cost model is checked with: families of variants of one task, from slow to fast.

Pure data, so that the same list is timed on a GPU (`measure.py`) and estimated without one (`predict.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Dim3 = tuple[int, int, int]
KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True, slots=True)
class Buffer:
    """An array argument. fill: `zero`, `float` (uniform 0..1), `byte` (uniform) or `skewed` (bytes, 90 % the same)."""

    size_bytes: int
    fill: str = "zero"


Argument = Buffer | int | float


@dataclass(frozen=True, slots=True)
class Case:
    """One launch. family: task and size; only variants of one family are ranked against each other."""

    family: str
    source: str
    entry: str
    grid: Dim3
    block: Dim3
    arguments: tuple[Argument, ...]

    @property
    def name(self) -> str:
        """Unique in the list."""
        return f"{self.family}/{self.entry}/{_dims(self.grid)}/{_dims(self.block)}"


def cases() -> tuple[Case, ...]:
    """All of them."""
    parts = (_rows(), _streams(), _transposes(), _sums(), _histograms(), _matmuls(), _pipes())
    return tuple(case for part in parts for case in part)


def _rows() -> Iterator[Case]:
    for rows, cols in ((8192, 4096), (512, 4096), (65536, 512)):
        x, y, w = Buffer(4 * rows * cols, "float"), Buffer(4 * rows * cols), Buffer(4 * cols, "float")
        size = f"{rows}x{cols}"
        for block in (32, 128):
            grid = (rows // block, 1, 1)
            yield Case(f"softmax {size}", "rows.cu", "softmax_thread", grid, (block, 1, 1), (x, y, rows, cols))
        for block in (64, 256):
            grid = (rows * 32 // block, 1, 1)
            yield Case(f"softmax {size}", "rows.cu", "softmax_warp", grid, (block, 1, 1), (x, y, rows, cols))
        for entry in ("softmax_block", "softmax_block4"):
            for block in (64, 256, 1024):
                yield Case(f"softmax {size}", "rows.cu", entry, (rows, 1, 1), (block, 1, 1), (x, y, rows, cols))
        norm = (x, w, y, rows, cols)
        yield Case(f"rmsnorm {size}", "rows.cu", "rmsnorm_thread", (rows // 128, 1, 1), (128, 1, 1), norm)
        yield Case(f"rmsnorm {size}", "rows.cu", "rmsnorm_warp", (rows // 8, 1, 1), (256, 1, 1), norm)
        for block in (128, 512):
            yield Case(f"rmsnorm {size}", "rows.cu", "rmsnorm_block", (rows, 1, 1), (block, 1, 1), norm)
        vector = Buffer(4 * rows)
        product = (x, w, vector, rows, cols)
        yield Case(f"gemv {size}", "matmul.cu", "gemv_thread", (rows // 128, 1, 1), (128, 1, 1), product)
        yield Case(f"gemv {size}", "matmul.cu", "gemv_warp", (rows // 4, 1, 1), (128, 1, 1), product)


def _streams() -> Iterator[Case]:
    for n in (1 << 26, 1 << 22):
        x, y, z = Buffer(4 * n, "float"), Buffer(4 * n, "float"), Buffer(4 * n)
        arguments = (x, y, z, 2.0, n)
        family = f"saxpy {n}"
        for block in (32, 128, 256, 1024):
            yield Case(family, "streams.cu", "saxpy", (n // block, 1, 1), (block, 1, 1), arguments)
        for block in (64, 256):
            yield Case(family, "streams.cu", "saxpy4", (n // 4 // block, 1, 1), (block, 1, 1), arguments)
        for blocks in (16, 132, 1056, 4224):
            yield Case(family, "streams.cu", "saxpy_loop", (blocks, 1, 1), (256, 1, 1), arguments)
        for chunk in (4, 32):
            grid = (n // chunk // 256, 1, 1)
            yield Case(family, "streams.cu", "saxpy_chunk", grid, (256, 1, 1), (*arguments, chunk))
    for n in (8192, 2048):
        u, v = Buffer(4 * n * n, "float"), Buffer(4 * n * n)
        for width, height in ((32, 8), (8, 32), (256, 1), (16, 16)):
            grid = (n // width, n // height, 1)
            yield Case(f"stencil {n}", "streams.cu", "stencil", grid, (width, height, 1), (u, v, n))


def _transposes() -> Iterator[Case]:
    for rows, cols in ((8192, 8192), (1024, 2048)):
        data, result = Buffer(4 * rows * cols, "float"), Buffer(4 * rows * cols)
        arguments, family = (data, result, rows, cols), f"transpose {rows}x{cols}"
        for x, y in ((16, 16), (32, 8), (8, 32)):
            grid = (cols // x, rows // y, 1)
            yield Case(family, "streams.cu", "transpose_direct", grid, (x, y, 1), arguments)
        for entry in ("transpose_tile", "transpose_padded"):
            for height in (8, 32):
                grid = (cols // 32, rows // 32, 1)
                yield Case(family, "streams.cu", entry, grid, (32, height, 1), arguments)


def _sums() -> Iterator[Case]:
    for n in (1 << 26, 1 << 22):
        arguments, family = (Buffer(4 * n, "float"), Buffer(4), n), f"sum {n}"
        for entry in ("sum_atomic", "sum_warp", "sum_tree"):
            yield Case(family, "collisions.cu", entry, (n // 256, 1, 1), (256, 1, 1), arguments)
        for entry in ("sum_block", "sum_block4"):
            for blocks in (64, 528, 4096):
                yield Case(family, "collisions.cu", entry, (blocks, 1, 1), (256, 1, 1), arguments)


def _histograms() -> Iterator[Case]:
    for n, fill in ((1 << 26, "byte"), (1 << 26, "skewed"), (1 << 22, "byte")):
        arguments, family = (Buffer(n, fill), Buffer(1024), n), f"histogram {n} {fill}"
        yield Case(family, "collisions.cu", "histogram_global", (n // 256, 1, 1), (256, 1, 1), arguments)
        for entry in ("histogram_shared", "histogram_words"):
            for blocks in (132, 1056):
                yield Case(family, "collisions.cu", entry, (blocks, 1, 1), (256, 1, 1), arguments)


def _matmuls() -> Iterator[Case]:
    for n in (256, 512, 1024, 2048):
        a, b, c = Buffer(4 * n * n, "float"), Buffer(4 * n * n, "float"), Buffer(4 * n * n)
        arguments, family = (a, b, c, n), f"matmul {n}"
        for entry, x, y in (
            ("matmul_rows", 32, 8),
            ("matmul_rows", 16, 16),
            ("matmul_columns", 32, 8),
            ("matmul_tile8", 8, 8),
            ("matmul_tile16", 16, 16),
            ("matmul_tile32", 32, 32),
        ):
            yield Case(family, "matmul.cu", entry, (n // x, n // y, 1), (x, y, 1), arguments)
        grid = (n // 64, n // 64, 1)
        yield Case(family, "matmul.cu", "matmul_registers", grid, (256, 1, 1), arguments)


def _pipes() -> Iterator[Case]:
    steps = 4096
    for entry in ("fma1", "fma4", "fp64_4", "sfu4", "sqrt2", "divide2", "integer4", "modulo2"):
        for blocks, block in ((132 * 8, 256), (132, 128), (100, 32)):
            out = (Buffer(8 * blocks * block), steps)
            yield Case(f"pipe {blocks}x{block}", "pipes.cu", entry, (blocks, 1, 1), (block, 1, 1), out)
    for x, y in ((32, 8), (8, 32)):
        grid = (2048 // x, 2048 // y, 1)
        yield Case("escape", "pipes.cu", "escape", grid, (x, y, 1), (Buffer(4 * 2048 * 2048), 2048, 256))


def _dims(dims: Dim3) -> str:
    kept = dims if dims[2] > 1 else dims[:2] if dims[1] > 1 else dims[:1]
    return "x".join(map(str, kept))
