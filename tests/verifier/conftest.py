"""A small workload with its real oracle, and a device whose kernels are NumPy functions."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Semaphore
from types import MappingProxyType

import numpy as np
import pytest

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.compiler.compiler import Compiler
from warpwright.device.measuring import MeasureOutcome, MeasureRequest
from warpwright.device.protocol import (
    ArrayArgument,
    CodeKind,
    Device,
    Fault,
    Faulted,
    Modified,
    Program,
    Ran,
    RunOutcome,
    RunRequest,
    Target,
)
from warpwright.hardware import GpuSpec, load_gpu
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.verdict import Verdict
from warpwright.verifier.verify import Verifier
from warpwright.workload.dtypes import numpy_dtype
from warpwright.workload.generator import generate
from warpwright.workload.loader import load_workload
from warpwright.workload.model import DeviceKind, Role, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array

Kernel = Callable[[dict[str, Array], RunRequest], Fault | None]
Judge = Callable[..., Verdict]

WORKLOAD = """\
name = "scale"
summary = "y = 2 x, and the count of its positive elements"
[dims]
n = "1..100000"
[[params]]
name = "y"
role = "out"
dtype = "float32"
shape = ["n"]
[[params]]
name = "positive"
role = "out"
dtype = "int32"
shape = ["1"]
[[params]]
name = "x"
role = "in"
dtype = "float32"
shape = ["n"]
values = "normal(0, 1)"
[[params]]
name = "n"
dtype = "int32"
value = "n"
[kernel]
source = "kernel.cu"
entry = "scale"
grid = ["ceil_div(n, 16)"]
block = ["16"]
[[cases]]
name = "small"
kind = "check"
dims = { n = 1000 }
[[cases]]
name = "timed"
kind = "perf"
dims = { n = 5000 }
"""
KERNEL = 'extern "C" __global__ void scale(float* y, int* positive, const float* x, int n) {}\n'
REFERENCE = """\
import numpy as np
def reference(x):
    return {"y": 2 * x, "positive": np.array([(x > 0).sum()], dtype=np.int32)}
"""


@pytest.fixture(scope="session")
def scale(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    directory: Path = tmp_path_factory.mktemp("scale")
    files = {"workload.toml": WORKLOAD, "kernel.cu": KERNEL, "reference.py": REFERENCE}
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
    return load_workload(directory)


@pytest.fixture(scope="session")
def oracle(scale: Workload) -> Iterator[Oracle]:
    with Oracle(scale) as opened:
        yield opened


class NumpyDevice:
    """A device whose one kernel is a NumPy function over the arrays by name; a Fault ends the run."""

    kind = DeviceKind.EMULATOR
    target = Target(CodeKind.PTX, "sm_90")
    name = "numpy"
    description = "NumPy functions"

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.requests: list[RunRequest] = []

    @property
    def spec(self) -> GpuSpec:
        return load_gpu("h200")

    def run(self, request: RunRequest) -> RunOutcome:
        self.requests.append(request)
        arrays = {a.name: filled(a, request.poison) for a in request.arguments if isinstance(a, ArrayArgument)}
        fault = self._kernel(arrays, request)
        if fault is not None:
            return Faulted(fault)
        given = [a for a in request.arguments if isinstance(a, ArrayArgument)]
        changes = (change(a, arrays[a.name]) for a in given if a.role is Role.IN)
        outputs = {a.name: arrays[a.name] for a in given if a.role is not Role.IN}
        return Ran(outputs, 0.0, tuple(found for found in changes if found is not None))

    def prepare(self, compiler: Compiler) -> None:
        pass

    def renew(self) -> None:
        pass

    def close(self) -> None:
        pass


class NumpyGpu(NumpyDevice):
    """The same as a device that makes generated inputs by itself and measures times."""

    identity: Mapping[str, str] = MappingProxyType({})

    def measure(self, request: MeasureRequest) -> MeasureOutcome:
        raise NotImplementedError

    def rest(self) -> None:
        raise NotImplementedError


class NumpyGpus(NumpyGpu):
    """Several of them as one device."""

    def __init__(self, kernel: Kernel, count: int) -> None:
        super().__init__(kernel)
        self.concurrent_runs = count
        self._idle = Semaphore(count)

    def run(self, request: RunRequest) -> RunOutcome:
        with self._idle:
            return super().run(request)


def change(argument: ArrayArgument, after: Array) -> Modified | None:
    """How an input differs from what went in."""
    before = filled(argument, 0)
    where = np.flatnonzero(before.reshape(-1).view(np.uint8) != after.reshape(-1).view(np.uint8))
    return Modified(argument.name, int(where.size), int(where[0])) if where.size else None


def filled(argument: ArrayArgument, poison: int) -> Array:
    if argument.generated is not None:
        assert argument.value is None
        count = int(np.prod(argument.shape))
        return generate(argument.generated.recipe, argument.generated.key, count).reshape(argument.shape)
    if argument.value is not None:
        return argument.value.copy()
    dtype = numpy_dtype(argument.dtype)
    fill = 0 if argument.zeroed else poison
    size = int(np.prod(argument.shape)) * dtype.itemsize
    return np.full(size, fill, np.uint8).view(dtype).reshape(argument.shape)


@pytest.fixture
def judge(scale: Workload, oracle: Oracle) -> Judge:
    """Verify a NumPy kernel on the case `small`: judge(kernel, seeds=(...), gpu=False, gpus=1, ptx="") -> Verdict."""

    def run(
        kernel: Kernel, seeds: tuple[int, ...] | None = None, gpu: bool = False, gpus: int = 1, ptx: str = ""
    ) -> Verdict:
        device: Device = NumpyGpu(kernel) if gpu else NumpyDevice(kernel)
        if gpus > 1:
            device = NumpyGpus(kernel, gpus)
        plan = ResolvedPlan((ResolvedLaunch("scale", (61, 1, 1), (16, 1, 1), 0, ("y", "positive", "x", "n")),), ())
        lowered: Mapping[str, str] = {"scale": "scale"}
        program = Program(ptx, b"", "sm_90", lowered, {}, "kernel.cu")
        case = scale.case("small")
        return Verifier(HostValues(scale, oracle), device).verify(
            program, plan, case, (case.seed,) if seeds is None else seeds
        )

    return run


@pytest.fixture
def numpy_device() -> Callable[[Kernel], Device]:
    """The device class: numpy_device(kernel)."""
    return NumpyDevice
