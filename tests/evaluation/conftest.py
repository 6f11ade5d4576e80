"""One small workload on the real compiler and the real emulator, open for the whole session."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from evaluation.simulated_gpu import Behaviour, SimulatedGpu
from loop.tiny import write_tiny
from warpwright.candidate.candidate import Candidate
from warpwright.compiler.compiler import Compiler
from warpwright.device.registry import open_device
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.evaluator import Evaluator, EvaluatorOptions
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle

Points = Callable[[int], Candidate]
"""The initial kernel with another block size."""
Evaluating = Callable[..., tuple[Evaluator, SimulatedGpu]]

WORKLOAD = """\
name = "axpb"
summary = "y = a x + b, element by element"
[dims]
n = "1..1000000"
[[params]]
name = "y"
role = "out"
dtype = "float32"
shape = ["n"]
[[params]]
name = "x"
role = "in"
dtype = "float32"
shape = ["n"]
values = "normal(0, 1)"
[[params]]
name = "b"
role = "in"
dtype = "float32"
shape = ["n"]
values = "uniform(1, 2)"
[[params]]
name = "a"
dtype = "float32"
value = 2.5
[[params]]
name = "n"
dtype = "int32"
value = "n"
[kernel]
source = "kernel.cu"
entry = "axpb"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
[kernel.tunables]
BLOCK = [128, 32, 256]
[work]
bytes = "12 * n"
flops = "2 * n"
[[cases]]
name = "one"
kind = "check"
dims = { n = 1 }
[[cases]]
name = "ragged"
kind = "check"
dims = { n = 1000 }
[[cases]]
name = "timed"
kind = "perf"
dims = { n = 20000 }
[[cases]]
name = "large"
kind = "perf"
dims = { n = 1000000 }
on = "gpu"
"""
KERNEL = """\
extern "C" __global__ void axpb(float* y, const float* x, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b[i];
}
"""
REFERENCE = "def reference(x, b, a):\n    return {'y': a * x + b}\n"

Modified = Callable[..., Candidate]


@pytest.fixture(scope="session")
def make_workload(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Workload]:
    """The workload with lines added to workload.toml and files replaced: make_workload(extra="...", files={...})."""

    def make(extra: str = "", files: Mapping[str, str] = MappingProxyType({})) -> Workload:
        directory: Path = tmp_path_factory.mktemp("workload")
        texts = {"workload.toml": WORKLOAD + extra, "kernel.cu": KERNEL, "reference.py": REFERENCE, **files}
        for name, text in texts.items():
            (directory / name).write_text(text, encoding="utf-8")
        return load_workload(directory)

    return make


@pytest.fixture(scope="session")
def axpb(make_workload: Callable[..., Workload]) -> Workload:
    return make_workload()


@pytest.fixture(scope="session")
def bench(axpb: Workload) -> Iterator[Bench]:
    with open_bench(
        axpb, "emulator:h200", "the secret of the tests", evaluator_options=EvaluatorOptions(time_limit_s=10)
    ) as b:
        yield b


@pytest.fixture(scope="session")
def kernel(axpb: Workload) -> Modified:
    """The initial candidate with another body or launch: kernel("if (i < n) ...", block=("64",))."""

    def modified(body: str | None = None, *, before: str = "", **launch: object) -> Candidate:
        plan = replace(axpb.initial.plan, launches=(replace(axpb.initial.plan.launches[0], **launch),))  # type: ignore[arg-type]
        source = KERNEL if body is None else f"{before}\n{KERNEL.partition('if')[0]}{body}\n}}\n"
        return replace(axpb.initial, source=source, plan=plan)

    return modified


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return load_workload(write_tiny(tmp_path_factory.mktemp("measured") / "tiny"))


@pytest.fixture(scope="module")
def point(tiny: Workload) -> Points:
    """The initial kernel with another block size; the simulated times go by it."""
    return lambda block: replace(tiny.initial, point={"BLOCK": block})


@pytest.fixture(scope="module")
def evaluating(tiny: Workload) -> Iterator[Evaluating]:
    """An evaluator on a simulated GPU with some behaviour; emulator, compiler and oracle are shared."""
    emulator, compiler, oracle = open_device("emulator:h200"), Compiler(None, None), Oracle(tiny)

    def opened(behaviour: Behaviour, workload: Workload = tiny) -> tuple[Evaluator, SimulatedGpu]:
        gpu = SimulatedGpu(emulator, behaviour)
        return Evaluator(workload, gpu, compiler, oracle, SeedPool("secret")), gpu

    yield opened
    for part in (emulator, compiler, oracle):
        part.close()
