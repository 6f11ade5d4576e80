"""An evaluation as the files of an attempt, and back: the same bytes for the same content, nothing lost."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from warpwright.benchmark.figure import PairedFigure
from warpwright.compiler.result import Compiled, CompileFailed, CompileOutcome, Diagnostic
from warpwright.device.protocol import Timing
from warpwright.errors import RecordError
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation
from warpwright.record.files import parse_model, read_bytes, read_model, to_bytes
from warpwright.record.schema import (
    CaseTimingModel,
    CaseVerdictModel,
    ComparisonModel,
    CompiledFile,
    CompileFailedFile,
    CompileFile,
    MismatchModel,
    OutcomeFile,
    PairedFile,
    TimingFile,
    VerifyFile,
)
from warpwright.units import KIB
from warpwright.workload.values import Comparison, Mismatch

OUTCOME = "outcome.json"
_COMPILE, _VERIFY, _TIMING = "compile.json", "verify.json", "timing.json"
_PAIRED = "paired.json"
_PTX, _CUBIN = "kernel.ptx", "kernel.cubin"
# A template bomb prints megabytes; an attempt stays below 200 KB.
_LOG_LIMIT = 32 * KIB
_DIAGNOSTICS_LIMIT = 100


def encode_evaluation(number: int, evaluation: Evaluation) -> dict[str, bytes]:
    """Name -> content of every file of an outcome; `outcome.json` is the last."""
    files = _compile_files(evaluation.compiled)
    if evaluation.cases:
        files[_VERIFY] = to_bytes(VerifyFile(cases=[_verdict(case) for case in evaluation.cases]))
        timed = [_timing(c) for c in evaluation.cases if (c.timing, c.floor_us, c.floor_binding) != (None, None, None)]
        if timed:
            files[_TIMING] = to_bytes(TimingFile(cases=timed))
    if evaluation.paired is not None:
        files[_PAIRED] = to_bytes(PairedFile(figure=evaluation.paired))
    outcome = OutcomeFile(
        number=number,
        outcome=evaluation.outcome,
        reason=evaluation.reason,
        message=evaluation.message,
        geomean_us=evaluation.geomean_us,
        speedup=evaluation.speedup,
        line=evaluation.line,
        seconds=dict(evaluation.seconds),
        files={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    )
    files[OUTCOME] = to_bytes(outcome)
    return files


def decode_evaluation(directory: Path) -> Evaluation:
    """The evaluation kept in an attempt's directory. Raises: RecordError naming a missing or damaged file."""
    outcome = read_model(directory / OUTCOME, OutcomeFile)
    content = {name: _checked(directory / name, digest) for name, digest in outcome.files.items()}
    return Evaluation(
        outcome=outcome.outcome,
        reason=outcome.reason,
        message=outcome.message,
        cases=_cases(directory, content),
        compiled=_compiled(directory, content),
        geomean_us=outcome.geomean_us,
        speedup=outcome.speedup,
        seconds=outcome.seconds,
        line=outcome.line,
        paired=_paired(directory, content),
    )


def _paired(directory: Path, content: Mapping[str, bytes]) -> PairedFigure | None:
    if _PAIRED not in content:
        return None
    return parse_model(content[_PAIRED], PairedFile, str(directory / _PAIRED)).figure


def _checked(path: Path, digest: str) -> bytes:
    content = read_bytes(path)
    if hashlib.sha256(content).hexdigest() != digest:
        raise RecordError(
            f"{path}: damaged: its content is not what {OUTCOME} recorded ({len(content)} bytes found). "
            "Restore it from a copy."
        )
    return content


def _compile_files(compiled: CompileOutcome | None) -> dict[str, bytes]:
    match compiled:
        case None:
            return {}
        case CompileFailed():
            failed = CompileFailedFile(
                reason=compiled.reason,
                message=compiled.message,
                diagnostics=_clipped_diagnostics(compiled.diagnostics),
                log=_clipped_log(compiled.log),
                seconds=compiled.seconds,
            )
            return {_COMPILE: to_bytes(CompileFile(compiled=failed))}
        case Compiled():
            success = CompiledFile(
                arch=compiled.arch,
                lowered=dict(compiled.lowered),
                resources=dict(compiled.resources),
                diagnostics=_clipped_diagnostics(compiled.diagnostics),
                log=_clipped_log(compiled.log),
                compiler=compiled.compiler,
                seconds=compiled.seconds,
                cached=compiled.cached,
            )
            return {
                _PTX: compiled.ptx.encode("utf-8"),
                _CUBIN: compiled.cubin,
                _COMPILE: to_bytes(CompileFile(compiled=success)),
            }


def _compiled(directory: Path, content: Mapping[str, bytes]) -> CompileOutcome | None:
    if _COMPILE not in content:
        return None
    match parse_model(content[_COMPILE], CompileFile, str(directory / _COMPILE)).compiled:
        case CompileFailedFile() as failed:
            return CompileFailed(
                reason=failed.reason,
                message=failed.message,
                diagnostics=tuple(failed.diagnostics),
                log=failed.log,
                seconds=failed.seconds,
            )
        case CompiledFile() as success:
            return Compiled(
                arch=success.arch,
                ptx=content[_PTX].decode("utf-8"),
                cubin=content[_CUBIN],
                lowered=success.lowered,
                resources=success.resources,
                diagnostics=tuple(success.diagnostics),
                log=success.log,
                compiler=success.compiler,
                seconds=success.seconds,
                cached=success.cached,
            )


def _clipped_log(log: str) -> str:
    if len(log) <= _LOG_LIMIT:
        return log
    return f"{log[:_LOG_LIMIT]}\n... {len(log) - _LOG_LIMIT} more characters were not kept"


def _clipped_diagnostics(diagnostics: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    if len(diagnostics) <= _DIAGNOSTICS_LIMIT:
        return list(diagnostics)
    left = len(diagnostics) - _DIAGNOSTICS_LIMIT
    note = Diagnostic(diagnostics[0].file, None, "note", f"{left} more messages were not kept")
    return [*diagnostics[:_DIAGNOSTICS_LIMIT], note]


def _verdict(case: CaseEvaluation) -> CaseVerdictModel:
    return CaseVerdictModel(
        name=case.name,
        kind=case.kind,
        passed=case.passed,
        comparisons=[_comparison_model(comparison) for comparison in case.comparisons],
        message=case.message,
        deterministic=case.deterministic,
    )


def _comparison_model(comparison: Comparison) -> ComparisonModel:
    first = tuple(MismatchModel(index=m.index, got=m.got, want=m.want) for m in comparison.first)
    return ComparisonModel(
        output=comparison.output,
        passed=comparison.passed,
        margin=comparison.margin,
        rms_margin=comparison.rms_margin,
        wrong=comparison.wrong,
        total=comparison.total,
        first=first,
        reason=comparison.reason,
        message=comparison.message,
    )


def _comparison(model: ComparisonModel) -> Comparison:
    return Comparison(
        output=model.output,
        passed=model.passed,
        margin=model.margin,
        rms_margin=model.rms_margin,
        wrong=model.wrong,
        total=model.total,
        first=tuple(Mismatch(m.index, m.got, m.want) for m in model.first),
        reason=model.reason,
        message=model.message,
    )


def _timing(case: CaseEvaluation) -> CaseTimingModel:
    floor = {"name": case.name, "floor_us": case.floor_us, "floor_binding": case.floor_binding}
    timing = case.timing
    if timing is None:
        return CaseTimingModel.model_validate(floor)
    measured = {
        "source": timing.source,
        "gpu": timing.gpu,
        "median_us": timing.median_us,
        "uncertainty_ratio": timing.uncertainty_ratio,
        "binding": timing.binding,
        "terms": timing.terms,
        "counters": timing.counters,
        "samples_us": timing.samples_us,
        "notes": timing.notes,
        "measurement": timing.measurement,
        "counted": timing.counted,
    }
    return CaseTimingModel.model_validate(floor | measured)


def _cases(directory: Path, content: Mapping[str, bytes]) -> tuple[CaseEvaluation, ...]:
    if _VERIFY not in content:
        return ()
    verdicts = parse_model(content[_VERIFY], VerifyFile, str(directory / _VERIFY)).cases
    timings: dict[str, CaseTimingModel] = {}
    if _TIMING in content:
        timings = {t.name: t for t in parse_model(content[_TIMING], TimingFile, str(directory / _TIMING)).cases}
    return tuple(_case(verdict, timings.get(verdict.name)) for verdict in verdicts)


def _case(verdict: CaseVerdictModel, times: CaseTimingModel | None) -> CaseEvaluation:
    return CaseEvaluation(
        name=verdict.name,
        kind=verdict.kind,
        passed=verdict.passed,
        comparisons=tuple(_comparison(model) for model in verdict.comparisons),
        timing=None if times is None else _decoded_timing(times),
        floor_us=None if times is None else times.floor_us,
        floor_binding=None if times is None else times.floor_binding,
        message=verdict.message,
        deterministic=verdict.deterministic,
    )


def _decoded_timing(times: CaseTimingModel) -> Timing | None:
    if times.source is None or times.gpu is None or times.median_us is None or times.uncertainty_ratio is None:
        return None
    return Timing(
        source=times.source,
        gpu=times.gpu,
        samples_us=tuple(times.samples_us),
        median_us=times.median_us,
        uncertainty_ratio=times.uncertainty_ratio,
        binding=times.binding,
        terms=times.terms,
        counters=times.counters,
        notes=tuple(times.notes),
        measurement=times.measurement,
        counted=times.counted,
    )
