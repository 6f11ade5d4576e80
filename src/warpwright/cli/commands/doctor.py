"""`warpwright doctor`: what this machine offers and what is missing, each with its remedy."""

from typing import TYPE_CHECKING, Annotated

import typer

from warpwright.cli.options import JsonOption

if TYPE_CHECKING:
    from warpwright.device.finding import Finding


def doctor(
    canary: Annotated[bool, typer.Option("--canary/--no-canary", help="Also compile and run a small kernel.")] = True,
    json: JsonOption = False,
) -> int:
    """Look at everything that a run needs; exit code 4 if something needed is missing."""
    from warpwright.cli.bench_options import device_options
    from warpwright.cli.environment import VARIABLES, environment
    from warpwright.cli.output import print_json, results, say
    from warpwright.device.findings import Status, canary_finding, machine_findings
    from warpwright.errors import UnavailableError
    from warpwright.report.machine import MachineLine, machine_table

    found = environment()
    findings = machine_findings(found.nvrtc, options=device_options())
    has_gpu = any(f.name == "gpu 0" for f in findings)
    if has_gpu:
        findings = (*findings, _nsight_compute(), _compute_sanitizer())
    findings = (*findings, _documentation(), _models())
    if canary:
        findings = (*findings, canary_finding(lambda: _run_canary("emulator")))
        if has_gpu:
            findings = (*findings, canary_finding(lambda: _run_canary("gpu:0"), "canary kernel on gpu 0"))
    if json:
        rows = [{"name": f.name, "status": f.status.value, "detail": f.detail, "remedy": f.remedy} for f in findings]
        print_json({"findings": rows, "cache": str(found.cache), "sessions": str(found.sessions)})
    else:
        lines = [MachineLine(f.name, f.status.value, f.detail, f.remedy or "") for f in findings]
        results().print(machine_table(lines))
        say(f"cache: {found.cache}\nsessions: {found.sessions}")
        for name, meaning in VARIABLES.items():
            say(f"{name}: {meaning}")
    return UnavailableError.exit_code if any(f.status is Status.MISSING for f in findings) else 0


def _nsight_compute() -> "Finding":
    from warpwright.cli.environment import environment
    from warpwright.device.finding import Finding, Status
    from warpwright.profiler.nsight_compute.collect import preflight
    from warpwright.profiler.nsight_compute.result import Unavailable

    found = preflight(environment().ncu)
    if isinstance(found, Unavailable):
        return Finding("Nsight Compute", Status.WARNING, f"no hardware counters: {found.reason}", found.remedy)
    return Finding("Nsight Compute", Status.OK, f"{found.version}, {found.path}")


def _documentation() -> "Finding":
    """What citations are taken from; the field guide of this package is always there."""
    from warpwright.cli.documents import shelf, status_warnings
    from warpwright.device.finding import Finding, Status

    with shelf().library() as library:
        status = library.status()
    if status.problem is not None:
        detail = f"no index: advice cites sections as the {status.rung} names them, and `docs search` finds nothing"
        return Finding("documentation", Status.WARNING, detail, f"{status.problem[:1].upper()}{status.problem[1:]}.")
    sections = sum(book.sections for book in status.books)
    detail = f"indexed in {status.path}: documents {len(status.books)}, sections {sections}"
    warnings = status_warnings(status)
    if not warnings:
        return Finding("documentation", Status.OK, detail)
    remedy = "Run `warpwright docs sync` for newer pages." if status.stale else None
    return Finding("documentation", Status.WARNING, "; ".join([detail, *warnings]), remedy)


def _models() -> "Finding":
    """Which chat models could propose: packages and keys, the latter by yes and no only."""
    from warpwright.cli.environment import is_set
    from warpwright.device.finding import Finding, Status
    from warpwright.proposer.model.client.providers import PROVIDERS

    installed = [row for row in PROVIDERS if row.installed]
    if not installed:
        return Finding(
            "models", Status.WARNING, "no provider is installed; builtin needs none", "See docs/models.md for extras."
        )
    said = [
        f"{row.name} (key: {'yes' if any(map(is_set, row.key_variables)) else 'no'})" if row.key_variables else row.name
        for row in installed
    ]
    return Finding("models", Status.OK, f"{', '.join(said)}; builtin needs none")


def _compute_sanitizer() -> "Finding":
    from warpwright.cli.environment import environment
    from warpwright.device.finding import Finding, Status
    from warpwright.profiler.sanitizer.locate import find_compute_sanitizer

    found = find_compute_sanitizer(environment().compute_sanitizer)
    if isinstance(found, str):
        return Finding("compute-sanitizer", Status.WARNING, "not found: the best kernel is not checked by it", found)
    return Finding("compute-sanitizer", Status.OK, str(found))


def _run_canary(words: str) -> str | None:
    from warpwright.cli.bench_options import device_options
    from warpwright.cli.environment import environment
    from warpwright.compiler.compiler import Compiler
    from warpwright.device.canary import run_canary
    from warpwright.device.registry import open_device

    device = open_device(words, device_options())
    try:
        with Compiler(None, environment().nvrtc, newest=device.target.cuda) as compiler:
            device.prepare(compiler)
            return run_canary(device, compiler)
    finally:
        device.close()
