"""The stack that evaluates one workload, opened and closed as one: device, compiler, oracle, seeds."""

import secrets
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from warpwright.candidate.candidate import Candidate
from warpwright.compiler.compiler import Compiler
from warpwright.device.protocol import Device
from warpwright.device.registry import DeviceOptions, open_device
from warpwright.evaluation.evaluator import Evaluator, EvaluatorOptions
from warpwright.evaluation.kernel_oracle import KernelOracle
from warpwright.evaluation.outcome import Evaluation
from warpwright.evaluation.profiling import ProfileOptions
from warpwright.evaluation.sanitizing import sanitize_candidate
from warpwright.evaluation.timing.limits import run_limit_s
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.profiler.sanitizer.report import SanitizerReport
from warpwright.verifier.hidden import draw_hidden_cases
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.lint import LintFinding, lint
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle

HIDDEN_CASES = 6
HIDDEN_SEEDS = 2
"""Fresh seeds per hidden case and per visible case in the final check."""


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """cache_directory: compiled kernels and machine code, None = kept nowhere. nvrtc: library to use, None = found.

    device: how it is opened; its own cache folder, if it names none, lies in this one. sanitizer: how compute-sanitizer is run.
    profiling: how Nsight Compute is run. workers: compiles, and requests to an emulator, at a time.
    """

    cache_directory: Path | None = None
    nvrtc: str | None = None
    device: DeviceOptions = field(default_factory=DeviceOptions)
    sanitizer: SanitizerOptions = field(default_factory=SanitizerOptions)
    profiling: ProfileOptions = field(default_factory=ProfileOptions)
    workers: int = 1


_DEFAULT_OPTIONS = BenchOptions()


class Bench:
    """One workload on one device. A context manager that ends every worker."""

    def __init__(
        self, workload: Workload, evaluator: Evaluator, seeds: SeedPool, sanitizer: SanitizerOptions | None = None
    ) -> None:
        self._workload = workload
        self._evaluator = evaluator
        self._seeds = seeds
        self._sanitizer = sanitizer or SanitizerOptions()

    @property
    def device(self) -> Device:
        """Where candidates run."""
        return self._evaluator.device

    @property
    def evaluator(self) -> Evaluator:
        """Takes candidates through every gate."""
        return self._evaluator

    def lint(self) -> list[LintFinding]:
        """Everything about the workload that could let a wrong kernel pass."""
        return lint(self._workload, self._evaluator.oracle, self.device.spec)

    def verify_hidden(self, candidate: Candidate) -> Evaluation:
        """Verify a candidate on hidden cases and, with fresh seeds, on the visible ones; nothing is timed."""
        hidden = draw_hidden_cases(self._workload, self._seeds.secret, HIDDEN_CASES, self.device)
        visible = self._workload.cases_on(self.device.kind)
        return self._evaluator.verify_only(candidate, (*visible, *hidden), "final", HIDDEN_SEEDS)

    def sanitize(self, candidate: Candidate) -> SanitizerReport:
        """What compute-sanitizer says of a verified candidate on a small check case; not applicable on the emulator."""
        return sanitize_candidate(self._evaluator, candidate, options=self._sanitizer)

    def close(self) -> None:
        """End the workers."""
        self._evaluator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_bench(
    workload: Workload,
    device: str,
    secret: str,
    options: BenchOptions = _DEFAULT_OPTIONS,
    evaluator_options: EvaluatorOptions | None = None,
) -> Bench:
    """Open a device by its words, a compiler and an oracle. secret: seeds and hidden cases come from it.

    Raises: UnavailableError or UsageError before anything runs; what was opened by then is closed.
    """
    seeds = SeedPool(secret)
    with ExitStack() as opened:
        own_cache = options.device.cache_directory or _below(options.cache_directory, "machine-code")
        opening = replace(options.device, cache_directory=own_cache, emulator_workers=options.workers)
        chosen = open_device(device, opening)
        opened.callback(chosen.close)
        kept = _below(options.cache_directory, "compiled")
        compiler = Compiler(kept, options.nvrtc, newest=chosen.target.cuda, workers=options.workers)
        opened.callback(compiler.close)
        chosen.prepare(compiler)
        time_limit_s = run_limit_s(chosen.kind, (evaluator_options or EvaluatorOptions()).time_limit_s)
        oracle = Oracle(workload, run_kernel=KernelOracle(workload, chosen, compiler, time_limit_s))
        opened.callback(oracle.close)
        evaluator = Evaluator(workload, chosen, compiler, oracle, seeds, evaluator_options)
        opened.pop_all()
    return Bench(workload, evaluator, seeds, options.sanitizer)


def fresh_secret() -> str:
    """64 random hex digits."""
    return secrets.token_hex(32)


def _below(directory: Path | None, name: str) -> Path | None:
    return None if directory is None else directory / name
