"""Opens what times candidates: one way for devices that estimate, another for those that measure."""

from warpwright.benchmark.empty_launch import EmptyLaunches
from warpwright.benchmark.paired import PairedOptions
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import Device, EstimatingDevice
from warpwright.errors import InfrastructureError
from warpwright.evaluation.promotion.comparison import PairedComparison
from warpwright.evaluation.promotion.paired_run import PairedBench
from warpwright.evaluation.timing.limits import run_limit_s
from warpwright.evaluation.timing.measuring_timer import MeasuringTimer
from warpwright.evaluation.timing.timed_cases import TimedCases
from warpwright.evaluation.timing.timer import EstimatingTimer, Timer
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.seeds import SeedPool


def open_clocks(
    values: HostValues, device: Device, seeds: SeedPool, time_limit_s: float | None, paired: PairedOptions
) -> tuple[Timer, PairedComparison | None]:
    """The timer and, where times are measured, the paired comparison. time_limit_s: of one estimate, None = by device."""
    if isinstance(device, MeasuringDevice):
        cases, empties = TimedCases(values, seeds, device.spec), EmptyLaunches(device)
        comparison = PairedComparison(PairedBench(values, device, cases, empties), paired)
        return MeasuringTimer(values, device, cases, empties), comparison
    if isinstance(device, EstimatingDevice):
        return EstimatingTimer(values, device, run_limit_s(device.kind, time_limit_s)), None
    raise InfrastructureError(f"{device.name}: a device that neither measures nor estimates times")
