"""Times that no kernel can have, and faults while timing."""

from dataclasses import dataclass

import pytest

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.compiler.compiler import Compiler
from warpwright.device.protocol import (
    CodeKind,
    Fault,
    Faulted,
    FaultKind,
    Program,
    RunOutcome,
    RunRequest,
    Target,
    TimeOutcome,
    TimeRequest,
    TimeSource,
    Timing,
)
from warpwright.errors import InfrastructureError
from warpwright.evaluation.bench import Bench
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import CaseEvaluation
from warpwright.evaluation.timing.timer import EstimatingTimer, Timed, TimedSubject
from warpwright.hardware import GpuSpec, load_gpu
from warpwright.verifier.host_values import HostValues
from warpwright.workload.model import CaseKind, DeviceKind, Workload

TARGET = Target(CodeKind.PTX, "sm_90")
PROGRAM = Program("", b"", "sm_90", {}, {}, "kernel.cu")


@dataclass(frozen=True)
class Clock:
    """A device that answers every request for a time with the same words."""

    answer: TimeOutcome
    kind: DeviceKind = DeviceKind.EMULATOR
    name: str = "clock"
    description: str = "a clock"
    target: Target = TARGET

    @property
    def spec(self) -> GpuSpec:
        return load_gpu("h200")

    def prepare(self, compiler: Compiler) -> None:
        raise NotImplementedError

    def renew(self) -> None:
        raise NotImplementedError

    def run(self, request: RunRequest) -> RunOutcome:
        raise NotImplementedError

    def time(self, request: TimeRequest) -> TimeOutcome:
        return self.answer

    def close(self) -> None:
        pass


def timed(bench: Bench, axpb: Workload, answer: TimeOutcome) -> Timed | Failure:
    timer = EstimatingTimer(HostValues(axpb, bench.evaluator.oracle), Clock(answer), 1.0)
    found = CaseEvaluation("timed", CaseKind.PERF, passed=True)
    return timer.take(found, TimedSubject(PROGRAM, ResolvedPlan((), ()), axpb.case("timed"))).judge()


def timing(us: float, source: TimeSource) -> Timing:
    return Timing(source, "NVIDIA H200", (us,), us, 0.15)


def test_an_estimate_below_an_empty_launch_is_our_fault(bench: Bench, axpb: Workload) -> None:
    with pytest.raises(InfrastructureError, match="the cost model is at fault: case timed"):
        timed(bench, axpb, timing(0.25, TimeSource.ESTIMATED))


def test_a_fault_while_timing_ends_the_candidate(bench: Bench, axpb: Workload) -> None:
    fault = Fault(FaultKind.TIMEOUT, "not finished after 1 s", entry="axpb")
    failure = timed(bench, axpb, Faulted(fault))
    assert failure == Failure("timeout.verify", "case timed (n=20000): axpb: not finished after 1 s")


def test_a_time_comes_with_its_floor(bench: Bench, axpb: Workload) -> None:
    result = timed(bench, axpb, timing(7.5, TimeSource.ESTIMATED))
    assert isinstance(result, Timed)
    found = result.found
    assert found.passed is True
    assert found.timing is not None
    assert (found.timing.median_us, found.floor_us, found.floor_binding) == (7.5, 2.6, "launch")
