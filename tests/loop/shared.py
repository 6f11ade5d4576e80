"""An emulator, a compiler and an oracle that sessions of the tiny workload share: starting them takes longest of all."""

from dataclasses import dataclass

from evaluation.simulated_gpu import Behaviour, SimulatedGpu
from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.device.protocol import Device
from warpwright.device.registry import DeviceOptions, open_device
from warpwright.evaluation.bench import Bench
from warpwright.evaluation.evaluator import Evaluator
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle


class KeptBench(Bench):
    """Its workers outlive it."""

    def close(self) -> None:
        """Leave them to the next one."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What a bench is made of. oracle: of the tiny workload, whose reference.py, parameters and values are everybody's."""

    emulator: Device
    compiler: Compiler
    oracle: Oracle

    def bench(
        self, workload: Workload, secret: str, device: Device | None = None, sanitizer: SanitizerOptions | None = None
    ) -> Bench:
        """Of a workload that differs from the tiny one in cases and tunables at most. device: None = the emulator."""
        seeds = SeedPool(secret)
        evaluator = Evaluator(workload, device or self.emulator, self.compiler, self.oracle, seeds)
        return KeptBench(workload, evaluator, seeds, sanitizer)

    def measured(self, workload: Workload, secret: str, behaviour: Behaviour) -> Bench:
        """The same on a simulated GPU."""
        return self.bench(workload, secret, SimulatedGpu(self.emulator, behaviour))

    def close(self) -> None:
        """End the workers."""
        for part in (self.emulator, self.compiler, self.oracle):
            part.close()


def started(workload: Workload) -> Shared:
    """Nothing runs before the first use."""
    cache = environment().cache
    emulator = open_device("emulator:h200", DeviceOptions(cache_directory=cache / "machine-code"))
    return Shared(emulator, Compiler(cache / "compiled", None, workers=2), Oracle(workload))
