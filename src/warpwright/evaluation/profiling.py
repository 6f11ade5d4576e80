"""Profiles the cases of a candidate that passed: counters from the emulator, from Nsight Compute, or what is known without."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from warpwright.candidate.candidate import Candidate
from warpwright.compiler.result import Compiled
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import CountedLaunch, Device, EstimatingDevice, RunOnceDevice, Timing
from warpwright.errors import UsageError
from warpwright.evaluation.evaluator import Evaluator
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation
from warpwright.profiler.derived import RunFacts, derived_profile, launch_counters
from warpwright.profiler.emulated import emulated_profile
from warpwright.profiler.nsight_compute.collect import collect
from warpwright.profiler.nsight_compute.result import TIME_LIMIT_S, Collected, NsightOptions, Unavailable
from warpwright.profiler.profile import UNNAMED_LAUNCH, Cache, CaseProfile, LaunchCounters
from warpwright.profiler.worked_out import completed
from warpwright.workload.floor import unique_bytes
from warpwright.workload.model import Case, CaseKind

REPORT_SUFFIX = ".ncu-rep"
"""In records from before estimates named the launch that they counted."""


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """ncu: the program, used alone if named; None = looked for. keep: folder where reports are kept as `CASE.ncu-rep`; None:
    nowhere. time_limit_s: wall clock of one profiled case."""

    ncu: Path | None = None
    keep: Path | None = None
    time_limit_s: float = TIME_LIMIT_S


def profile_cases(
    evaluator: Evaluator,
    candidate: Candidate,
    evaluation: Evaluation,
    cases: Sequence[str] | None = None,
    tier: int = 1,
    options: ProfileOptions | None = None,
) -> tuple[CaseProfile, ...]:
    """One profile for each case that passed, in the order of the workload.

    evaluation: of this candidate; times come from it, never from a profiler. cases: names, None = every perf case. tier: as in
    `NsightOptions`; the emulator counted everything already. What the machine lacks is a reason in the profile.
    Raises: UsageError for a case that the workload does not have; InfrastructureError.
    """
    chosen = _chosen(evaluator, evaluation, cases)
    device = evaluator.device
    cache = Cache.COLD if evaluator.workload.cold_cache else Cache.WARM
    if isinstance(device, EstimatingDevice):
        return tuple(
            _emulated(evaluator, candidate, evaluation, case, found.timing, cache)
            for case, found in chosen
            if found.timing is not None
        )
    if not chosen:
        return ()
    requests = evaluator.run_requests(candidate, [case for case, _ in chosen])
    facts = [
        RunFacts(
            case=case.name,
            subject=candidate.identity,
            request=requests[case.name],
            gpu=device.spec,
            cache=cache,
            time_us=None if found.timing is None else found.timing.median_us,
            unique_bytes=float(unique_bytes(evaluator.workload, case)),
            time_source=None if found.timing is None else found.timing.source,
        )
        for case, found in chosen
    ]
    asked = NsightOptions(tier=tier, cache=cache, source=candidate.source)
    return _on_gpu(evaluator, facts, asked, options or ProfileOptions())


def require_cases(evaluator: Evaluator, names: Sequence[str] | None) -> None:
    """Raises: UsageError, before anything runs, for a name that is no perf case of this device; only those are timed."""
    known = [case.name for case in evaluator.workload.cases_on(evaluator.device.kind, CaseKind.PERF)]
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise UsageError(f"there is no perf case {unknown[0]} on this device; there are {', '.join(known)}.")


def _chosen(
    evaluator: Evaluator, evaluation: Evaluation, names: Sequence[str] | None
) -> list[tuple[Case, CaseEvaluation]]:
    require_cases(evaluator, names)
    known = {case.name: case for case in evaluator.workload.cases}
    return [
        (known[found.name], found)
        for found in evaluation.cases
        if found.passed and (found.name in names if names is not None else found.kind is CaseKind.PERF)
    ]


def _emulated(
    evaluator: Evaluator, candidate: Candidate, evaluation: Evaluation, case: Case, timing: Timing, cache: Cache
) -> CaseProfile:
    launches = candidate.plan.launches
    counted = timing.counted or CountedLaunch(
        launches[0].entry if len(launches) == 1 else UNNAMED_LAUNCH, 0, len(launches)
    )
    resources = None
    if candidate.compiled_by_case:  # the evaluation keeps the binary of its first case
        resources = evaluator.programs(candidate, [case])[case.name].resources.get(counted.entry)
    elif isinstance(evaluation.compiled, Compiled):
        resources = evaluation.compiled.resources.get(counted.entry)
    return emulated_profile(case.name, candidate.identity, timing, cache, counted, resources)


def _on_gpu(
    evaluator: Evaluator, facts: Sequence[RunFacts], asked: NsightOptions, options: ProfileOptions
) -> tuple[CaseProfile, ...]:
    """What stops the first case (no ncu, no permission) is not asked again for the others."""
    profiles: list[CaseProfile] = []
    lasting: Unavailable | None = None
    with _nothing_else_starts(evaluator.device):
        for each in facts:
            report = None if options.keep is None else options.keep / f"{each.case}{REPORT_SUFFIX}"
            wanted = replace(asked, program=options.ncu, report=report, time_limit_s=options.time_limit_s)
            found = lasting or _collected(evaluator, each, wanted)
            if isinstance(found, Unavailable):
                lasting = found if found.lasting else None
                profiles.append(derived_profile(each, found.text))
            else:
                profiles.append(_profile(each, found))
    return tuple(profiles)


@contextmanager
def _nothing_else_starts(device: Device) -> Iterator[None]:
    """While a profiler watches, nothing starts in the background; afterwards it may again, whatever happened."""
    if not isinstance(device, MeasuringDevice):
        yield
        return
    device.renew()
    try:
        yield
    finally:
        device.rest()


def _collected(evaluator: Evaluator, facts: RunFacts, wanted: NsightOptions) -> Collected | Unavailable:
    device = evaluator.device
    if not isinstance(device, RunOnceDevice):
        return Unavailable(f"{device.name} hands out no run that a profiler could watch.", lasting=True)
    return collect(device, facts.request, wanted)


def _profile(facts: RunFacts, found: Collected) -> CaseProfile:
    """Counters of ncu, and beside them what only the compiler knows."""
    return CaseProfile(
        case=facts.case,
        subject=facts.subject,
        tool=found.tool,
        cache=facts.cache,
        launches=tuple(_completed(facts, launch) for launch in found.launches),
        missing=found.missing,
        planned=len(facts.request.plan.launches),
        notes=found.notes,
        time_us=facts.time_us,
        time_source=facts.time_source,
        seconds=found.seconds,
    )


def _completed(facts: RunFacts, launch: LaunchCounters) -> LaunchCounters:
    known = launch_counters(facts.request, facts.request.plan.launches[launch.position], facts.gpu)
    return replace(launch, counters=completed({**known, **launch.counters}))
