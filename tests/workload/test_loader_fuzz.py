"""Any workload.toml at all is loaded or refused with a WorkloadError, never with anything else."""

import contextlib
import tomllib
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warpwright.errors import WorkloadError
from warpwright.workload.loader import load_workload

from .conftest import WORKLOAD, WriteWorkload

ODD_VALUES = st.sampled_from(
    [
        "1" * 400,
        "0", "-1", "1e400", "nan", "inf", "true", '""', '"n"', '"1..2"', '"("', "[]", "[[]]", "{}", "[1, 'a']",
        "99999999999999999999", '"a\\u0000b"', "1979-05-27", '"é"', "{ a = { b = 1 } }", '"normal(0,"', '"integers(n, m)"',
        '"float64"', '"in"', '"out"', '"inout"', "256", '["n", "n"]', '["n / 3"]', '["n * 9999999999"]',
    ]
)  # fmt: skip
LINES = WORKLOAD.splitlines()


@st.composite
def mutated(draw: Callable[..., object]) -> str:
    """The good file with lines lost, doubled, swapped or given other values."""
    lines = list(LINES)
    for _ in range(int(str(draw(st.integers(1, 3))))):
        position = int(str(draw(st.integers(0, len(lines) - 1))))
        key, separator, _ = lines[position].partition(" = ")
        match draw(st.sampled_from(["value", "value", "value", "drop", "double", "move"])):
            case "value" if separator:
                lines[position] = f"{key} = {draw(ODD_VALUES)}"
            case "drop":
                lines.pop(position)
            case "double":
                lines.insert(position, lines[position])
            case _:
                lines.append(lines.pop(position))
    return "\n".join(lines)


def load(directory: Path, text: str) -> None:
    (directory / "workload.toml").write_text(text, encoding="utf-8")
    with contextlib.suppress(WorkloadError):
        load_workload(directory)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=mutated())
def test_a_changed_file_is_loaded_or_refused(text: str, write_workload: WriteWorkload) -> None:
    load(write_workload(), text)


def test_the_mutations_start_from_a_good_file() -> None:
    assert tomllib.loads(WORKLOAD)
