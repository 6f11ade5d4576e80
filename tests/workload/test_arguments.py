"""Inputs: deterministic in (case, seed), exact in dtype, within their distribution."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.workload.arguments import make_arguments, random_key
from warpwright.workload.distributions import DistributionError, draw, parse_distribution
from warpwright.workload.dtypes import DTYPE_NAMES, NumberKind, element_type, integer_range
from warpwright.workload.generator import generate
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Case, CaseKind, DeviceKind
from warpwright.workload.shapes import ValueDoesNotFit, pack_scalar
from warpwright.workload.values import Array, HostInputs

from .conftest import WriteWorkload

CASE = Case("c", CaseKind.CHECK, {"n": 12}, frozenset(DeviceKind), 1, {})


class NoMakeInputs:
    """An input source that must not be asked."""

    def make_inputs(self, case: Case, seed: int) -> dict[str, Array]:
        raise AssertionError


def drawn(text: str, dtype: str, seed: int = 1, shape: tuple[int, ...] = (200, 5), stream: str = "x") -> Array:
    key = random_key(CASE, seed, stream)
    return draw(parse_distribution(text), element_type(dtype), shape, {"n": 12}, key)


def texts(dtype: str) -> list[str]:
    kind = element_type(dtype).kind
    floats = ["normal(1, 2)", "uniform(-1, 3)", "integers(-3, 3)"]
    return ["ones", *(floats if kind is NumberKind.FLOAT else ["integers(0, 1)"])]


@pytest.mark.parametrize(("dtype", "text"), [(dtype, text) for dtype in DTYPE_NAMES for text in texts(dtype)])
def test_the_same_seed_gives_the_same_bits(dtype: str, text: str) -> None:
    first, second, other = drawn(text, dtype), drawn(text, dtype), drawn(text, dtype, seed=2)
    assert first.dtype == element_type(dtype).numpy
    assert first.flags.c_contiguous
    assert first.tobytes() == second.tobytes()
    if text != "ones":
        assert first.tobytes() != other.tobytes()
        assert first.tobytes() != drawn(text, dtype, stream="w").tobytes()


def test_the_numbers_are_the_same_on_every_machine() -> None:
    assert drawn("integers(0, 255)", "uint8", shape=(6,)).tolist() == [172, 120, 209, 46, 207, 105]
    assert drawn("normal(0, 1)", "float32", shape=(2,)).tolist() == [0.04829011484980583, -1.906581163406372]


@given(st.sampled_from([n for n in DTYPE_NAMES if not element_type(n).is_float]), st.data())
def test_integers_include_both_ends(dtype: str, data: st.DataObject) -> None:
    least, greatest = integer_range(element_type(dtype))
    greatest = min(greatest, 2**63 - 1)  # the bounds are expressions, which have 64 signed bits
    low = data.draw(st.integers(least, greatest))
    high = min(low + data.draw(st.integers(0, 1)), greatest)
    assert set(drawn(f"integers({low}, {high})", dtype).reshape(-1).tolist()) == set(range(low, high + 1))


def test_integers_take_expressions_over_dims() -> None:
    values = drawn("integers(n - 2, max(n, 3))", "int32")
    assert sorted(set(values.reshape(-1).tolist())) == [10, 11, 12]


def test_a_permutation_holds_every_position_once() -> None:
    assert sorted(drawn("permutation", "int32", shape=(10, 10)).reshape(-1).tolist()) == list(range(100))


def test_normal_and_uniform_have_their_moments() -> None:
    normal = drawn("normal(3, 0.5)", "float64", shape=(100000,))
    uniform = drawn("uniform(-2, 4)", "float32", shape=(100000,))
    assert abs(normal.mean() - 3) < 0.01
    assert abs(normal.std() - 0.5) < 0.01
    assert uniform.min() >= -2
    assert uniform.max() <= 4
    assert abs(uniform.mean() - 1) < 0.02


@pytest.mark.parametrize(
    ("text", "dtype", "message"),
    [
        ("normal(0, 1)", "int32", "normal needs a floating-point dtype; int32 takes integers, ones"),
        ("integers(0, 256)", "uint8", "values 0 .. 256 do not fit uint8 (0 .. 255)"),
        ("integers(5, 4)", "int32", "integers(5, 4): the first is above the last"),
        ("permutation", "uint8", "values 0 .. 999 do not fit uint8 (0 .. 255)"),
        ("uniform(1, 0)", "float32", "found 'uniform(1, 0)'; allowed: finite numbers, the lower one first"),
        (
            "uniform(-3e38, 3e38)",
            "bfloat16",
            "uniform(-3e+38, 3e+38): its numbers or their range do not fit float32, in which bfloat16 values are made",
        ),
        ("normal(0, one)", "float32", "found 'normal(0, one)'; allowed: numbers in normal(...)"),
    ],
)
def test_values_that_cannot_be_drawn_are_named(text: str, dtype: str, message: str) -> None:
    with pytest.raises(DistributionError) as error:
        drawn(text, dtype)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("dtype", "value", "packed"),
    [
        ("float32", 2.0, b"\x00\x00\x00\x40"),
        ("float16", 1, b"\x00\x3c"),
        ("bfloat16", -1.0, b"\x80\xbf"),
        ("int8", -1, b"\xff"),
        ("uint16", 65535, b"\xff\xff"),
        ("int64", 2**40, (2**40).to_bytes(8, "little")),
        ("bool", 1, b"\x01"),
        ("int32", 3.0, b"\x03\x00\x00\x00"),
    ],
)
def test_scalars_are_packed_in_their_exact_width(dtype: str, value: float, packed: bytes) -> None:
    assert pack_scalar(dtype, value).tobytes() == packed


@pytest.mark.parametrize(
    ("dtype", "value"), [("int32", 2**31), ("uint8", -1), ("int32", 0.5), ("float16", 1e5), ("bool", 2)]
)
def test_a_scalar_that_does_not_fit_is_refused(dtype: str, value: float) -> None:
    with pytest.raises(ValueDoesNotFit):
        pack_scalar(dtype, value)


def test_arguments_of_a_case(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload())
    arguments = make_arguments(workload, workload.case("ragged"), 7, NoMakeInputs())
    assert arguments.shapes == {"y": (77,), "x": (77,)}
    assert set(arguments.inputs) == {"x"}
    scalars: Mapping[str, np.generic] = arguments.scalars
    assert {name: (value.dtype.name, value.item()) for name, value in scalars.items()} == {
        "n": ("int32", 77),
        "a": ("float32", -1.5),
    }
    again = make_arguments(workload, workload.case("ragged"), 7, NoMakeInputs())
    assert arguments.inputs["x"].tobytes() == again.inputs["x"].tobytes()


def test_inputs_with_a_recipe_are_made_when_somebody_asks(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload())
    arguments = make_arguments(workload, workload.case("ragged"), 7, NoMakeInputs())
    inputs = arguments.inputs
    assert isinstance(inputs, HostInputs)
    assert list(inputs) == ["x"]
    assert len(inputs) == 1
    assert "x" in inputs
    assert inputs.held_bytes() == 0
    x = inputs["x"]
    generated = arguments.generated["x"]
    assert x.tobytes() == generate(generated.recipe, generated.key, 77).tobytes()
    assert inputs["x"] is x
    assert inputs.held_bytes() == x.nbytes
    assert not x.flags.writeable
    inputs.forget_generated()
    assert inputs.held_bytes() == 0
    assert inputs["x"].tobytes() == x.tobytes()
    with pytest.raises(KeyError):
        inputs["y"]


def test_other_arrays_in_place_of_inputs_have_no_recipe(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload())
    arguments = make_arguments(workload, workload.case("ragged"), 7, NoMakeInputs())
    assert arguments.generated
    assert not replace(arguments, inputs={"x": np.zeros(77, np.float32)}).generated
