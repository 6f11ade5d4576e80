"""The held-out launches: plain kernels as users bring them, at full size, timed on an H200 by another script.

Nothing in the cost model was chosen by looking at them, except that the times of the three kernels made of atomics were
known when the cost of an atomic was set.
"""

from benchmarks.cost_model.launches import Buffer, Case, Dim3


def naive_cases() -> tuple[Case, ...]:
    """Twenty launches, one for each measured workload and size."""
    return (*_rows(), *_flat(), *_tiles())


def _case(name: str, source: str, entry: str, shape: tuple[Dim3, Dim3], *arguments: Buffer | int | float) -> Case:
    return Case(f"naive {name}", f"naive/{source}", entry, *shape, arguments)


def _line(threads: int, block: int) -> tuple[Dim3, Dim3]:
    return (-(-threads // block), 1, 1), (block, 1, 1)


def _rows() -> list[Case]:
    rows, cols = 8192, 4096
    by_row = _line(rows, 128)
    x, y = Buffer(4 * rows * cols), Buffer(4 * rows * cols)
    half, vector, small = Buffer(2 * rows * cols), Buffer(4 * cols), Buffer(4 * rows)
    long = Buffer(4 * 1024 * 131072)
    logits = Buffer(4 * 4096 * 128256)
    return [
        _case("softmax 8192x4096", "softmax.cu", "softmax", by_row, x, y, rows, cols),
        _case("softmax 1024x131072", "softmax.cu", "softmax", _line(1024, 128), long, long, 1024, 131072),
        _case("rmsnorm_f16", "rmsnorm_f16.cu", "rmsnorm", by_row, half, Buffer(2 * cols), half, rows, cols, 1e-6),
        _case("layernorm_fwd", "layernorm_fwd.cu", "layernorm", by_row, x, vector, vector, y, rows, cols, 1e-5),
        _case("layernorm_bwd_dx", "layernorm_bwd.cu", "ln_bwd_dx", by_row, x, x, small, small, vector, y, rows, cols),
        _case(
            "cross_entropy",
            "cross_entropy.cu",
            "cross_entropy",
            _line(4096, 128),
            logits,
            Buffer(8 * 4096),
            small,
            4096,
            128256,
        ),
        _case(
            "gemv_f16",
            "gemv_f16.cu",
            "gemv",
            by_row,
            Buffer(2 * 8192 * 8192),
            Buffer(2 * 8192),
            Buffer(2 * 8192),
            8192,
            8192,
        ),
        _case(
            "int4_gemv",
            "int4_gemv.cu",
            "int4_gemv",
            by_row,
            *(Buffer(8192 * 8192 // 2), Buffer(2 * 8192 * 64), Buffer(2 * 8192), Buffer(2 * 8192), 8192, 8192, 128),
        ),
    ]


def _flat() -> list[Case]:
    n, many = 1 << 26, 1 << 28
    x, out = Buffer(4 * n, "float"), Buffer(4 * n)
    gelu = Buffer(2 * 8192 * 11008)
    bins = Buffer(1024)
    planes, filters = Buffer(4 * 16 * 64 * 128 * 128), Buffer(4 * 64 * 64 * 9)
    return [
        _case("saxpy", "saxpy.cu", "saxpy", _line(n, 256), x, x, out, 1.7, n),
        _case(
            "bias_gelu_f16",
            "bias_gelu_f16.cu",
            "bias_gelu",
            _line(8192 * 11008, 256),
            *(gelu, Buffer(2 * 11008), gelu, 8192, 11008),
        ),
        _case("reduce_sum", "reduce_sum.cu", "reduce_sum", _line(n, 256), x, Buffer(4), n),
        _case("histogram uniform", "histogram_u8.cu", "histogram", _line(many, 256), Buffer(many, "byte"), bins, many),
        _case("histogram skewed", "histogram_u8.cu", "histogram", _line(many, 256), Buffer(many, "skewed"), bins, many),
        _case("conv2d", "conv2d.cu", "conv2d", _line(1 << 24, 256), planes, filters, planes, 16, 64, 128, 128, 64),
    ]


def _tiles() -> list[Case]:
    def square(n: int) -> tuple[Dim3, Dim3]:
        return (n // 16, n // 16, 1), (16, 16, 1)

    def matrix(n: int, width: int = 4) -> Buffer:
        return Buffer(width * n * n)

    cube = matrix(512, 4 * 512)
    image = Buffer(3840 * 2160)
    half = matrix(4096, 2)
    return [
        _case("transpose", "transpose.cu", "transpose", square(8192), matrix(8192), matrix(8192), 8192, 8192),
        *(
            _case(f"matmul {n}", "matmul_f32.cu", "matmul", square(n), matrix(n), matrix(n), matrix(n), n)
            for n in (2048, 4096)
        ),
        _case("matmul_f16", "matmul_f16.cu", "matmul_f16", square(4096), half, half, matrix(4096), 4096),
        _case("stencil7", "stencil7.cu", "stencil7", ((16, 64, 512), (32, 8, 1)), cube, cube, 512, 0.5, 0.1),
        _case("sobel_u8", "sobel_u8.cu", "sobel", ((120, 270, 1), (32, 8, 1)), image, image, 2160, 3840),
    ]
