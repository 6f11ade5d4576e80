from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop.tiny import REFERENCE, WORKLOAD, write_tiny
from warpwright.record.history.fingerprint import Axis, Fingerprint, OperationKind, fingerprint_of, similarity
from warpwright.workload.loader import load_workload

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
MARKS = st.builds(
    Fingerprint,
    kind=st.sampled_from(OperationKind),
    inputs=st.lists(st.sampled_from(["float32:1", "float32:2", "float16:2"]), max_size=3).map(
        lambda x: tuple(sorted(x))
    ),
    outputs=st.lists(st.sampled_from(["float32:1", "float32:2"]), min_size=1, max_size=2).map(
        lambda x: tuple(sorted(x))
    ),
    summed=st.sampled_from(Axis),
    tensor_cores=st.booleans(),
)


@pytest.mark.parametrize(
    ("example", "kind", "summed"),
    [
        ("matmul", OperationKind.CONTRACTION, Axis.MIXED),
        ("reduce_sum", OperationKind.REDUCTION, Axis.LAST),
        ("histogram", OperationKind.REDUCTION, Axis.LAST),
        ("transpose", OperationKind.PERMUTATION, Axis.NONE),
        ("softmax", OperationKind.ROW_WISE, Axis.NONE),
        ("rmsnorm", OperationKind.ROW_WISE, Axis.NONE),
    ],
)
def test_kinds_of_the_examples(example: str, kind: OperationKind, summed: Axis) -> None:
    mark = fingerprint_of(load_workload(EXAMPLES / example))
    assert (mark.kind, mark.summed) == (kind, summed)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("y[i] = a * x[i];", OperationKind.MAP),
        ("float s = 0; for (int k = 0; k < 3; ++k) s += x[i]; y[i] = a * s / 3;", OperationKind.WINDOW),
        ("float s = 0; for (int k = 0; k < n; ++k) s += x[k]; y[i] = a * s;", OperationKind.ROW_WISE),
        ("for (int k = i; k < n; k += n) y[k] = a * x[k];", OperationKind.MAP),
    ],
    ids=["map", "window", "row-wise", "loop without a sum"],
)
def test_the_initial_kernel_decides_where_shapes_cannot(tmp_path: Path, body: str, kind: OperationKind) -> None:
    kernel = (
        'extern "C" __global__ void scale(float* y, const float* x, float a, int n) {\n'
        f"    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {{ {body} }}\n}}\n"
    )
    assert fingerprint_of(load_workload(write_tiny(tmp_path / "tiny", kernel))).kind is kind


def test_names_play_no_part(tmp_path: Path) -> None:
    one = write_tiny(tmp_path / "one")
    other = write_tiny(tmp_path / "other")
    text = WORKLOAD.replace('"tiny"', '"axpy"').replace('name = "x"', 'name = "input"').replace("n = ", "count = ")
    text = text.replace('shape = ["n"]', 'shape = ["count"]').replace('value = "n"', 'value = "count"')
    text = text.replace("ceil_div(n,", "ceil_div(count,")
    (other / "workload.toml").write_text(text, encoding="utf-8")
    (other / "reference.py").write_text(
        REFERENCE.replace("(x, a)", "(input, a)").replace("* x", "* input"), encoding="utf-8"
    )
    assert fingerprint_of(load_workload(one)) == fingerprint_of(load_workload(other))


@given(MARKS, MARKS)
def test_similarity_is_symmetric_and_one_only_for_equal_marks(one: Fingerprint, other: Fingerprint) -> None:
    value = similarity(one, other)
    assert value == similarity(other, one)
    assert 0 <= value <= 1
    assert (value > 1 - 1e-9) == (one == other)
    assert (value > 0) == (one.kind is other.kind)
