"""Schemas of the files in a session directory; `SCHEMA` governs them all and is kept in `session.json`."""

import math
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from warpwright.benchmark.figure import PairedFigure
from warpwright.compiler.result import Diagnostic, KernelResources
from warpwright.device.measurement import Measurement
from warpwright.device.protocol import CountedLaunch, TimeSource
from warpwright.evaluation.outcome import Outcome
from warpwright.profiler.sanitizer.report import SanitizerReport
from warpwright.record.event import EventKind, LedgerKind, Scalar
from warpwright.workload.model import CaseKind

SCHEMA: Final = 2


def _spell(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _finite_only(values: Any) -> Any:
    return {name: value for name, value in dict(values).items() if value is not None and math.isfinite(value)}


Evidence = Annotated[float, PlainSerializer(_spell, when_used="json")]
"""A number that may be `nan` or `inf` as a finding: spelled as text in JSON, so that the finding is not lost."""
Finite = Annotated[float, Field(allow_inf_nan=False)]
"""A number that must be one: refused before anything is written, since null could not be read back."""
Measures = Annotated[dict[str, float], BeforeValidator(_finite_only)]
"""Name -> value; what is not finite is unknown, and what is unknown is missing."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OptionsModel(_File):
    """`SessionOptions`, field by field."""

    workload_path: str
    proposer: str
    iterations: int | None
    time_limit_s: float | None
    seed: int
    device: str
    tuning_budget: int
    max_repairs: int
    patience: int | None = None
    base_url: str | None = None
    model_timeout_s: float | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    budget_usd: float | None = None
    max_model_calls: int | None = None
    max_tokens: int | None = None
    allow_unknown_price: bool = False
    history: bool = True
    strategy: Literal["linear", "beam"] = "linear"
    beam: int = Field(default=2, ge=1)
    bottlenecks: int = Field(default=2, ge=1)


class SessionFile(_File):
    """`session.json`."""

    schema_version: Literal[2]
    identifier: str
    created_at: str
    workload: str
    workload_hash: str
    device: str
    """One line for people, of the device that was opened."""
    graph_version: int
    versions: dict[str, str]
    options: OptionsModel


class HypothesisModel(_File):
    """`Hypothesis`, field by field."""

    technique: str
    text: str
    expects: Measures = {}
    bottleneck: str | None = None
    card: str | None = None
    citations: tuple[str, ...] = ()


class ProposalFile(_File):
    """`proposal/proposal.json`: written last when an attempt begins; its presence means begun."""

    number: int
    parent: int
    proposer: str
    candidate_identity: str
    hypothesis: HypothesisModel | None
    fabricated_citations: int = 0
    reason: str = ""
    begun_at: str


class CompiledFile(_File):
    """`compile.json` of a success; PTX and cubin are files of their own."""

    status: Literal["compiled"] = "compiled"
    arch: str
    lowered: dict[str, str]
    resources: dict[str, KernelResources]
    diagnostics: list[Diagnostic]
    log: str
    compiler: str
    seconds: Finite
    cached: bool


class CompileFailedFile(_File):
    """`compile.json` of a failure."""

    status: Literal["failed"] = "failed"
    reason: str
    message: str
    diagnostics: list[Diagnostic]
    log: str
    seconds: Finite


class CompileFile(_File):
    """`compile.json`."""

    compiled: CompiledFile | CompileFailedFile = Field(discriminator="status")


class MismatchModel(_File):
    """`Mismatch`, field by field."""

    index: tuple[int, ...]
    got: Evidence
    want: Evidence


class ComparisonModel(_File):
    """`Comparison`, field by field."""

    output: str
    passed: bool
    margin: Evidence
    rms_margin: Evidence
    wrong: int
    total: int
    first: tuple[MismatchModel, ...]
    reason: str | None
    message: str


class CaseVerdictModel(_File):
    """What verification found for one case."""

    name: str
    kind: CaseKind
    passed: bool | None
    comparisons: list[ComparisonModel]
    message: str
    deterministic: bool | None = None


class VerifyFile(_File):
    """`verify.json`: every case, in order."""

    cases: list[CaseVerdictModel]


class CaseTimingModel(_File):
    """Times of one case; `source` null where the case was not timed."""

    name: str
    floor_us: float | None
    floor_binding: str | None
    source: TimeSource | None = None
    gpu: str | None = None
    median_us: Finite | None = None
    uncertainty_ratio: Finite | None = None
    binding: str | None = None
    terms: Measures = {}
    counters: Measures = {}
    samples_us: list[Evidence] = []
    notes: list[str] = []
    measurement: Measurement | None = None
    counted: CountedLaunch | None = None


class TimingFile(_File):
    """`timing.json`: the cases that have a time or a floor."""

    cases: list[CaseTimingModel]


class PairedFile(_File):
    """`paired.json`: the paired run against the incumbent, every launch of it."""

    figure: PairedFigure


class OutcomeFile(_File):
    """`outcome.json`: written last when an attempt ends; its presence means finished."""

    number: int
    outcome: Outcome
    reason: str | None
    message: str
    geomean_us: float | None
    speedup: float | None
    line: int | None
    seconds: Measures
    files: dict[str, str]
    """Name -> SHA-256 of every other file of the outcome, so that damage is seen."""


class TuningLine(_File):
    """A line of `tuning.jsonl`."""

    point: dict[str, int]
    launch: dict[str, dict[str, str]]
    label: str
    geomean_us: float | None
    message: str
    case_us: dict[str, float] = {}
    """Absent in files of older versions."""


class TuningDoneFile(_File):
    """`tuning.json`: present once the search from an attempt is at its end."""

    points: int


class EventLine(_File):
    """A line of `events.jsonl`."""

    kind: EventKind
    time: str
    attempt: int | None
    text: str
    values: dict[str, Scalar]


class LedgerLine(_File):
    """A line of `ledger.jsonl`."""

    kind: LedgerKind
    time: str
    attempt: int | None
    seconds: Finite
    device_seconds: float | None
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    money_usd: float | None
    tokens_cached: int | None = None
    outcome: str = ""
    most_tokens: int | None = None
    most_usd: float | None = None


class FinalCheckModel(_File):
    """`FinalCheck`, field by field."""

    number: int
    passed: bool
    message: str


class SummaryFile(_File):
    """`summary.json`: present once the session has ended."""

    stop: str
    best: int
    final_checks: list[FinalCheckModel]
    elapsed_s: Finite
    published: PairedFigure | None = None
    published_reference: PairedFigure | None = None
    unpublished: str = ""
    sanitizer: SanitizerReport | None = None
