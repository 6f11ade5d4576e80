"""What a case consists of under the clock: less of everything for points of a search."""

from pathlib import Path

from loop.tiny import write_tiny
from warpwright.benchmark.schedule import SCREEN
from warpwright.evaluation.timing.timed_cases import TimedCases
from warpwright.hardware import load_gpu
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.loader import load_workload
from warpwright.workload.oracle import Oracle

INPUTS = """
import numpy as np

def make_inputs(dims, rng):
    return {"x": rng.random(dims["n"], dtype=np.float32)}

def reference(x, a):
    return {"y": a * x}
"""


def test_a_search_needs_few_copies_and_one_of_the_inputs_that_the_host_makes(tmp_path: Path) -> None:
    directory = write_tiny(tmp_path / "tiny")
    text = (directory / "workload.toml").read_text(encoding="utf-8").replace('values = "normal(0, 1)"\n', "")
    (directory / "workload.toml").write_text(text, encoding="utf-8")
    (directory / "reference.py").write_text(INPUTS, encoding="utf-8")
    workload = load_workload(directory)
    with Oracle(workload) as oracle:
        cases = TimedCases(HostValues(workload, oracle), SeedPool("secret"), load_gpu("h200"))
        searched, full = cases.searched(workload.case("small"), SCREEN, 20.0), cases.of(workload.case("small"), 20.0)
    pools = [[len(array.pool) for array in case.arrays if array.name == "x"] for case in (searched, full)]
    assert pools == [[1], [8]]
    assert (searched.sets, full.sets) == (2, 10)
    assert searched.time_limit_s < full.time_limit_s
    for case in (searched, full):
        draw = case.draw("a stream")
        assert {case.rotation.values(seed)["x"] for seed in draw.seeds(20)} <= set(range(len(case.arrays[1].pool)))
