"""Takes the counters of one run with Nsight Compute: find it, run it on the harness, read what it wrote."""

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from warpwright.device.protocol import RunOnce, RunOnceDevice, RunRequest
from warpwright.errors import DeviceUnavailable
from warpwright.profiler.nsight_compute.command import Wanted, profile_arguments, tool_environment
from warpwright.profiler.nsight_compute.locate import Ncu, find_ncu
from warpwright.profiler.nsight_compute.normalise import Normalised, PlannedLaunch, normalised
from warpwright.profiler.nsight_compute.offering import Offered, offered
from warpwright.profiler.nsight_compute.reading.read import Reading, read_report
from warpwright.profiler.nsight_compute.reading.report import UnreadableReport
from warpwright.profiler.nsight_compute.result import Collected, NsightOptions, Unavailable
from warpwright.profiler.nsight_compute.symptoms import counters_forbidden, explain, permission, surroundings
from warpwright.profiler.nsight_compute.tiers import chip_of, tier
from warpwright.profiler.tool_process import GpuBusy, ToolCommand, ToolRun, run_tool

SOURCE_TIER = 2
"""From here on instructions are placed in the source."""
_REPORT = "profile.ncu-rep"
_OUR_PREFIX = "ww_"
_DEFAULT = NsightOptions()


@dataclass(frozen=True, slots=True)
class _Run:
    """A profile under way. folder: its own, removed afterwards."""

    ncu: Ncu
    request: RunRequest
    options: NsightOptions
    folder: Path
    asked: Offered

    @property
    def source(self) -> bool:
        return self.options.tier >= SOURCE_TIER


def collect(device: RunOnceDevice, request: RunRequest, options: NsightOptions = _DEFAULT) -> Collected | Unavailable:
    """Counters of every launch of the plan, of one run in a process of its own whose outputs nobody looks at.

    What the machine lacks is an answer. Raises: InfrastructureError if the device cannot be used at all.
    """
    ncu = preflight(options.program)
    if isinstance(ncu, Unavailable):
        return ncu
    asked = offered(tier(options.tier), ncu, chip_of(request.program.arch))
    try:
        with tempfile.TemporaryDirectory(prefix="warpwright-profile-", ignore_cleanup_errors=True) as temporary:
            return _watched(device, _Run(ncu, request, options, Path(temporary), asked))
    except OSError as error:
        return Unavailable(
            f"Files of a profile cannot be written ({error}).", "Free space in the folder for temporary files."
        )


def _watched(device: RunOnceDevice, run: _Run) -> Collected | Unavailable:
    """Raises: OSError."""
    try:
        once = device.run_once(replace(run.request, time_limit_s=run.options.time_limit_s), run.folder)
    except DeviceUnavailable as error:
        return Unavailable(str(error), lasting=True)
    if any(name.startswith(_OUR_PREFIX) for name in once.entries):
        return Unavailable(
            f"Names of kernels that begin with {_OUR_PREFIX} cannot be told from the harness's own.",
            "Rename the kernel.",
        )
    return _profiled(run, once)


def preflight(program: Path | None = None) -> Ncu | Unavailable:
    """What can be known before anything runs: whether ncu is here, and whether the driver keeps counters from this user."""
    ncu = find_ncu(program)
    if isinstance(ncu, Unavailable) or not counters_forbidden():
        return ncu
    return permission(surroundings())


def _profiled(run: _Run, once: RunOnce) -> Collected | Unavailable:
    report = run.folder / _REPORT
    environment = tool_environment(once.environment, run.folder)
    if run.options.source is not None:
        name = Path(run.request.program.source_name).name
        (run.folder / name).write_text(run.options.source, encoding="utf-8")
    wanted = Wanted(run.asked.tier, run.options.cache, run.source, report)
    arguments = profile_arguments(run.ncu, once, wanted)
    try:
        done = run_tool(ToolCommand(arguments, environment, run.folder, run.options.time_limit_s, once.lock))
    except GpuBusy as busy:
        return Unavailable(f"The GPU was not free for a profile: {busy}.", "Wait for it, or stop it.")
    except OSError as error:
        return Unavailable(f"{run.ncu.path} cannot be started ({error.strerror or error}).", lasting=True)
    if done.exit_code is None or not report.is_file():
        return explain(done, run.options.time_limit_s, surroundings())
    how = Reading(run.ncu, environment, run.source, run.request.program.source_name)
    try:
        read = read_report(report, how)
    except UnreadableReport as error:
        explained = explain(done, run.options.time_limit_s, surroundings()) if done.exit_code else None
        known = explained is not None and "exit code" not in explained.reason
        return explained if explained is not None and known else Unavailable(f"The report cannot be used: {error}.")
    symbols = zip(run.request.plan.launches, once.entries, strict=True)
    plan = [PlannedLaunch(launch.entry, symbol) for launch, symbol in symbols]
    found = normalised(read, plan, run.asked.dropped, f"{run.request.program.arch} in {run.ncu.label}")
    if not found.launches:
        return Unavailable("No launch was profiled: none in the report has the name of one of the candidate's kernels.")
    return _collected(run, found, done)


def _collected(run: _Run, found: Normalised, done: ToolRun) -> Collected:
    notes = list(found.notes)
    if done.exit_code:
        notes.append(f"degraded: Nsight Compute ended with exit code {done.exit_code} though it left a report")
    launches = len(run.request.plan.launches)
    if len(found.launches) < launches:
        notes.append(f"{len(found.launches)} of {launches} launches were profiled")
    kept, problem = _kept(run)
    notes += [problem] if problem is not None else []
    return Collected(run.ncu.label, found.launches, found.missing, tuple(notes), kept, done.seconds)


def _kept(run: _Run) -> tuple[Path | None, str | None]:
    """Where the report was put, or why not."""
    place = run.options.report
    if place is None:
        return None, None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(run.folder / _REPORT, place)
    except OSError as error:
        return None, f"the report could not be kept at {place} ({error.strerror or error})"
    return place, None
