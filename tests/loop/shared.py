"""An emulator, a compiler and oracles that sessions of one test process share: starting them takes longest of all."""

import pytest

from evaluation.simulated_gpu import Behaviour, SimulatedGpu
from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.device.protocol import Device
from warpwright.device.registry import DeviceOptions, open_device
from warpwright.evaluation.bench import Bench, BenchOptions
from warpwright.evaluation.evaluator import Evaluator
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle


class KeptBench(Bench):
    """Its workers outlive it."""

    def close(self) -> None:
        """Leave them to the next one."""


class Shared:
    """What benches are made of. Nothing runs before the first use."""

    def __init__(self) -> None:
        cache = environment().cache
        self.emulator = open_device("emulator:h200", DeviceOptions(cache_directory=cache / "machine-code"))
        self._compiler = Compiler(cache / "compiled", None, workers=2)
        self._oracles: dict[tuple[object, ...], Oracle] = {}

    def bench(
        self, workload: Workload, secret: str, device: Device | None = None, sanitizer: SanitizerOptions | None = None
    ) -> Bench:
        """A bench of a workload. device: None = the emulator."""
        seeds = SeedPool(secret)
        evaluator = Evaluator(workload, device or self.emulator, self._compiler, self._oracle(workload), seeds)
        return KeptBench(workload, evaluator, seeds, sanitizer)

    def measured(self, workload: Workload, secret: str, behaviour: Behaviour) -> Bench:
        """The same on a simulated GPU."""
        return self.bench(workload, secret, SimulatedGpu(self.emulator, behaviour))

    def serve(self, patch: pytest.MonkeyPatch) -> None:
        """Sessions on the emulator are opened on this."""

        def open_bench(workload: Workload, device: str, secret: str, options: BenchOptions) -> Bench:
            assert device in ("emulator", "emulator:h200")
            return self.bench(workload, secret)

        for module in ("context", "entering"):
            patch.setattr(f"warpwright.loop.{module}.open_bench", open_bench)

    def close(self) -> None:
        """End the workers."""
        self.emulator.close()
        self._compiler.close()
        for oracle in self._oracles.values():
            oracle.close()

    def _oracle(self, workload: Workload) -> Oracle:
        """Of all workloads that compute the same, whatever their kernels, cases and tunables."""
        key = (workload.parameters, (workload.directory / "reference.py").read_bytes())
        if key not in self._oracles:
            self._oracles[key] = Oracle(workload)
        return self._oracles[key]
