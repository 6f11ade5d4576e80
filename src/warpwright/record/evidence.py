"""What a record says about compiling and timing, for readers that must not know compiler and device."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from warpwright.compiler.result import Compiled, CompileFailed, Diagnostic, KernelResources
from warpwright.device.protocol import TimeSource
from warpwright.evaluation.outcome import Evaluation


@dataclass(frozen=True, slots=True)
class TimesFrom:
    """Where times come from; one device, so the same for every time of a session."""

    gpu: str
    estimated: bool
    """A cost model's estimate, not a measurement."""
    uncertainty_ratio: float

    @property
    def source(self) -> str:
        """`measured` or `estimated`, as in `evaluate --json`."""
        return (TimeSource.ESTIMATED if self.estimated else TimeSource.MEASURED).value


def times_from(evaluations: Iterable[Evaluation]) -> TimesFrom | None:
    """Where the times of some evaluations come from; None if there is no time."""
    timings = (case.timing for evaluation in evaluations for case in evaluation.cases)
    timing = next(filter(None, timings), None)
    if timing is None:
        return None
    return TimesFrom(timing.gpu, timing.source is TimeSource.ESTIMATED, timing.uncertainty_ratio)


def compile_errors(evaluation: Evaluation) -> tuple[Diagnostic, ...]:
    """Diagnostics of a failed compile; empty if it compiled or never got there."""
    return evaluation.compiled.diagnostics if isinstance(evaluation.compiled, CompileFailed) else ()


def kernel_resources(evaluation: Evaluation) -> Mapping[str, KernelResources]:
    """Resources by entry; empty if there is no binary."""
    return evaluation.compiled.resources if isinstance(evaluation.compiled, Compiled) else {}


def compiled_ptx(evaluation: Evaluation) -> str | None:
    """The PTX of a candidate; None if it never compiled."""
    return evaluation.compiled.ptx if isinstance(evaluation.compiled, Compiled) else None


def lowered_names(evaluation: Evaluation) -> Mapping[str, str]:
    """Entry -> its symbol in the binary; empty if there is no binary."""
    return evaluation.compiled.lowered if isinstance(evaluation.compiled, Compiled) else {}
