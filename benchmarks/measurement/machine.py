"""What the studies need of a machine: its description, a harness to speak to directly, compiled kernels."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import CompileFailed, CompileRequest
from warpwright.device.gpu.own_kernels import OWN_MODULE, compile_own_kernels
from warpwright.device.gpu.process.client import HarnessClient
from warpwright.device.gpu.process.connection import HarnessOptions, connect, local_connection
from warpwright.device.gpu.process.pool import load
from warpwright.device.gpu.wire.messages import Answer
from warpwright.device.gpu.wire.replies import Hello
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import Device, Program

OPEN_LIMIT_S = 60.0


def machine_of(device: Device) -> dict[str, Any]:
    """GPU, driver and harness as the device names them; for the emulator its description."""
    identity = dict(device.identity) if isinstance(device, MeasuringDevice) else {}
    return {"gpu": device.spec.name, "description": device.description, **identity}


def harness_options(log_directory: Path | None = None) -> HarnessOptions:
    """The harness and the driver that the environment names. log_directory: where requests are kept."""
    found = environment()
    return HarnessOptions(found.harness, found.driver, found.sandboxed, log_directory)


@contextmanager
def spoken_to(words: str, log_directory: Path | None = None) -> Iterator[tuple[HarnessClient, Hello]]:
    """A harness of its own on GPU N of `gpu:N`, greeted; ended afterwards. Raises: SystemExit for other words."""
    word, _, index = words.partition(":")
    if word != "gpu":
        raise SystemExit(f"--device {words}: this study speaks to the harness of a GPU, gpu:N")
    with tempfile.TemporaryDirectory() as temporary:
        options = harness_options(log_directory)
        client, hello = connect(local_connection(words, int(index or 0), Path(temporary), options))
        try:
            yield client, hello
        finally:
            client.close()


def asked(client: HarnessClient, operation: str, fields: Mapping[str, object] | None = None) -> Mapping[str, Any]:
    """The result of an operation. Raises: SystemExit with the fault."""
    answer = client.request(operation, fields, time_limit_s=OPEN_LIMIT_S)
    if not isinstance(answer, Answer):
        raise SystemExit(f"{operation}: {answer.message}")
    return answer.body


def free_device_bytes(words: str) -> int | None:
    """Device memory that a new process finds free; None on the emulator."""
    if words.startswith("emulator"):
        return None
    with spoken_to(words) as (client, _):
        return int(asked(client, "open")["free_memory_bytes"])


@dataclass(frozen=True, slots=True)
class Machine:
    """A prepared device with a compiler, without any workload."""

    device: MeasuringDevice
    compiler: Compiler

    def compile(self, source: str, entry: str) -> Program:
        """A kernel for this device. Raises: SystemExit with the compiler's message."""
        return compiled(self.compiler, source, entry, self.device.target.arch)


def compiled(compiler: Compiler, source: str, entry: str, arch: str) -> Program:
    """A kernel. Raises: SystemExit with the compiler's message."""
    request = CompileRequest(source, f"{entry}.cu", arch, (entry,), defines={}, headers={})
    outcome = compiler.compile(request)
    if isinstance(outcome, CompileFailed):
        raise SystemExit(f"{entry}: {outcome.message}")
    return Program(outcome.ptx, outcome.cubin, outcome.arch, outcome.lowered, outcome.resources, request.source_name)


def load_own_kernels(client: HarnessClient, compiler: Compiler, arch: str) -> None:
    """Every harness wants its own kernels before any other."""
    own = compile_own_kernels(compiler, arch)
    load(client, OWN_MODULE, own.cubin, own.symbols)


@contextmanager
def opened(words: str) -> Iterator[Machine]:
    """The device of `--device`, prepared. Raises: SystemExit if it does not measure."""
    from warpwright.cli.bench_options import bench_options
    from warpwright.evaluation.bench import open_bench
    from warpwright.workload.loader import load_workload

    workload = load_workload(Path(__file__).parent / "kernels" / "axpb")
    with ExitStack() as stack:
        bench = stack.enter_context(open_bench(workload, words, "0" * 64, bench_options()))
        if not isinstance(bench.device, MeasuringDevice):
            raise SystemExit(f"--device {words}: this study needs a device that measures")
        compiler = stack.enter_context(Compiler(None, environment().nvrtc))
        yield Machine(bench.device, compiler)


def single_launch(entry: str, blocks: int, threads: int, args: tuple[str, ...]) -> ResolvedPlan:
    """A plan of one launch."""
    return ResolvedPlan((ResolvedLaunch(entry, (blocks, 1, 1), (threads, 1, 1), 0, args),), ())
