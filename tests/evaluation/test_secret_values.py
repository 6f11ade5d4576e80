"""What a proposer is told must not depend on the values of launches that are verified under the clock."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.conftest import Evaluating, Points
from evaluation.simulated_gpu import Behaviour, SimulatedGpu
from loop.tiny import write_tiny
from warpwright.compiler.compiler import Compiler
from warpwright.device.protocol import Fault, Faulted, FaultKind
from warpwright.device.registry import open_device
from warpwright.errors import WorkloadError
from warpwright.evaluation.evaluator import Evaluator
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.generator import generate
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle

TELLING = """
import numpy as np

def reference(x, a):
    return {"y": a * x}

def compare(actual, expected, case):
    if not np.allclose(actual["y"], expected["y"]):
        raise ValueError(f"0xC0FFEE {actual['y'][0]}")
    return True
"""


def bits(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def verified_values(gpu: SimulatedGpu) -> set[int]:
    """The first input of every launch whose outputs came back."""
    found = set()
    for request in gpu.requests:
        for launch in (launch for block in request.blocks for launch in block.launches if launch.keep):
            (x,) = (array for array in request.arrays if array.recipe is not None)
            assert x.recipe is not None
            found.add(bits(generate(x.recipe, launch.values["x"], x.shape[0])[0]))
    return found


def test_no_message_shows_a_value_that_is_verified_under_the_clock(evaluating: Evaluating, tiny: Workload) -> None:
    """A kernel that writes what it reads learns values of secret seeds, attempt by attempt; it could be honest there only."""
    evaluator, gpu = evaluating(Behaviour())
    for number in range(3):
        assert evaluator.evaluate(replace(tiny.initial, source=f"{tiny.initial.source}// {number}\n")).label == "passed"
    told: list[float] = []
    for number in range(24):
        known = " || ".join(["n != 2048", *(f"__float_as_uint(x[0]) == {bits(value)}u" for value in told)])
        source = tiny.initial.source.replace("y[i] = a * x[i]", f"y[i] = {known} ? a * x[i] : x[i]")
        message = evaluator.evaluate(replace(tiny.initial, source=f"{source}// {number}\n")).message
        told += [float(match[1]) for match in re.finditer(r"y\[0\]: got (\S+),", message)]
    assert len(set(told)) > 1, (
        "values of verification's secret seeds are told, so that a proposer can correct its kernel"
    )
    assert not set(map(bits, told)) & verified_values(gpu)


def test_a_mismatch_under_the_clock_tells_the_output_and_the_case_only(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour(replays=True))
    messages = {block: evaluator.evaluate(point(block)).message for block in (32, 64, 128)}
    assert messages[32] == messages[64] == messages[128]
    assert messages[32].startswith("case small (n=2048): launches under the clock gave a wrong y. The same binary")
    assert not re.search(r"\d", messages[32].partition("): ")[2])


def test_the_record_keeps_no_margin_of_a_launch_under_the_clock(evaluating: Evaluating, point: Points) -> None:
    evaluator, _ = evaluating(Behaviour())
    timing = evaluator.evaluate(point(32)).cases[-1].timing
    assert timing is not None
    assert timing.measurement is not None
    assert {launch.margin for launch in timing.measurement.checked} == {None}


def test_an_own_compare_that_fails_under_the_clock_is_not_quoted(tmp_path: Path) -> None:
    directory = write_tiny(tmp_path / "tiny")
    (directory / "reference.py").write_text(TELLING, encoding="utf-8")
    workload = load_workload(directory)
    gpu = SimulatedGpu(open_device("emulator:h200"), Behaviour(replays=True))
    with (
        Evaluator(workload, gpu, Compiler(None, None), Oracle(workload), SeedPool("secret")) as evaluator,
        pytest.raises(WorkloadError, match="failed on outputs under the clock") as told,
    ):
        evaluator.evaluate(workload.initial)
    assert "0xC0FFEE" not in str(told.value)
    assert told.value.__suppress_context__


FAULTS = {
    "guards": (
        Fault(
            FaultKind.OOB_WRITE,
            "array y: 17 bytes behind its end were overwritten, the nearest 4711 bytes from its edge",
        ),
        "case small (n=2048): something beyond an array was overwritten under the clock. Check the bounds of every store.",
    ),
    "place": (
        Fault(FaultKind.TRAP, "block 7 (contestant 0): the kernel trapped", entry="scale"),
        "case small (n=2048): scale: the kernel trapped",
    ),
}


@pytest.mark.parametrize(("fault", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_under_the_clock_tells_no_place(
    evaluating: Evaluating, point: Points, fault: Fault, message: str
) -> None:
    evaluator, _ = evaluating(Behaviour(fault=Faulted(fault)))
    found = evaluator.evaluate(point(32))
    assert (found.label, found.message) == (fault.kind.value, message)
