"""`warpwright profile`: what limits a kernel, by its counters, and what is advised."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warpwright.cli.options import DeviceOption, JsonOption, KernelOption, WorkloadArgument

if TYPE_CHECKING:
    from warpwright.knowledge.documents.library import Library


def profile(
    workload: WorkloadArgument,
    kernel: KernelOption = None,
    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="NAME", help="Case to profile; may be repeated.", show_default="all perf cases"),
    ] = None,
    detail: Annotated[
        bool, typer.Option("--detail", help="On a GPU also memory tables, instruction mix, hot source lines (slower).")
    ] = False,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="On a GPU keep Nsight Compute's reports here.")
    ] = None,
    device: DeviceOption = "auto",
    json: JsonOption = False,
) -> int:
    """Verify and time the kernel, then say what limits it. No time ever comes from a profiler."""
    from warpwright.candidate.directory import load_candidate
    from warpwright.cli.bench_options import bench_options, device_options, profile_options
    from warpwright.cli.output import print_json, results, say
    from warpwright.cli.workloads import open_workload
    from warpwright.device.registry import notice
    from warpwright.errors import NoCandidatePassed
    from warpwright.evaluation.bench import fresh_secret, open_bench
    from warpwright.evaluation.judgement import advise, judge
    from warpwright.evaluation.profiling import profile_cases, require_cases
    from warpwright.report.profile.document import profile_document
    from warpwright.report.profile.view import ProfiledCase, profile_view

    loaded = open_workload(workload)
    candidate = load_candidate(kernel, loaded.initial) if kernel else loaded.initial
    options = profile_options(keep)
    with open_bench(loaded, device, fresh_secret(), bench_options()) as bench, _documents() as library:
        evaluator = bench.evaluator
        require_cases(evaluator, case)
        say(notice(device, bench.device, device_options()) or f"device: {bench.device.description}")
        ignored = [name for name, given in (("--detail", detail), ("--keep", keep is not None)) if given]
        if ignored and not evaluator.measures:
            say(
                f"{' and '.join(ignored)}: no effect here, for Nsight Compute only; the emulator counted everything it can."
            )
        evaluation = evaluator.evaluate(candidate)
        if not evaluation.outcome.correct:
            raise NoCandidatePassed(f"{evaluation.label}: {evaluation.message}")
        profiles = profile_cases(evaluator, candidate, evaluation, case, 2 if detail else 1, options)
        spec, described = bench.device.spec, bench.device.description
        judged = [(each, judge(loaded, spec, each)) for each in profiles]
        cases = [ProfiledCase(each, found, advise(loaded, spec, each, found, library)) for each, found in judged]
    if json:
        print_json(profile_document(loaded.name, described, evaluation.label, cases))
    else:
        for part in profile_view(cases):
            results().print(part, crop=False)
    return 0


def _documents() -> "AbstractContextManager[Library | None]":
    """The indexed documents; None, and why, where their folder cannot be used: no profile fails for lack of documents."""
    from warpwright.cli.documents import open_library, shelf
    from warpwright.cli.output import say
    from warpwright.errors import InfrastructureError, InputError, UnavailableError

    try:
        return open_library(shelf())
    except (InputError, UnavailableError, InfrastructureError, OSError) as error:
        say(f"note: no documents, so advice cites NVIDIA's public pages: {error}")
        return nullcontext()
