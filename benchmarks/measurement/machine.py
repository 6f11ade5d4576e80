"""What the studies need of a machine: its description, compiled kernels, single runs of small kernels."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import CompileFailed, CompileRequest
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import Device, Program


def machine_of(device: Device) -> dict[str, Any]:
    """GPU, driver and harness as the device names them; for the emulator its description."""
    identity = dict(device.identity) if isinstance(device, MeasuringDevice) else {}
    return {"gpu": device.spec.name, "description": device.description, **identity}


@dataclass(frozen=True, slots=True)
class Machine:
    """A prepared device with a compiler, without any workload."""

    device: MeasuringDevice
    compiler: Compiler

    def compile(self, source: str, entry: str, defines: Mapping[str, int] | None = None) -> Program:
        """A kernel for this device. Raises: SystemExit with the compiler's message."""
        outcome = self.compiler.compile(
            CompileRequest(source, f"{entry}.cu", self.device.target.arch, (entry,), dict(defines or {}), headers={})
        )
        if isinstance(outcome, CompileFailed):
            raise SystemExit(f"{entry}: {outcome.message}")
        return Program(outcome.ptx, outcome.cubin, outcome.arch, outcome.lowered, outcome.resources, f"{entry}.cu")


@contextmanager
def opened(words: str) -> Iterator[Machine]:
    """The device of `--device`, prepared. Raises: SystemExit if it does not measure."""
    from warpwright.device.registry import open_device

    device = open_device(words)
    try:
        if not isinstance(device, MeasuringDevice):
            raise SystemExit(f"--device {words}: this study needs a device that measures")
        with Compiler(None, environment().nvrtc) as compiler:
            device.prepare(compiler)
            yield Machine(device, compiler)
    finally:
        device.close()


def single_launch(entry: str, blocks: int, threads: int, args: tuple[str, ...]) -> ResolvedPlan:
    """A plan of one launch."""
    return ResolvedPlan((ResolvedLaunch(entry, (blocks, 1, 1), (threads, 1, 1), 0, args),), ())
