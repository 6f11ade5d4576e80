"""`warpwright new`: a workload directory from a kernel of the user's, or from a description."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warpwright.cli.model_options import BaseUrlOption
from warpwright.cli.options import DeviceOption, JsonOption

if TYPE_CHECKING:
    from typing import Literal

    from warpwright.workload.scaffold import Question

_ORACLE_KINDS = ("stub", "kernel")


@dataclass(frozen=True, slots=True)
class _Manner:
    """accept: ask nothing. json: one document instead of words."""

    accept: bool
    json: bool


def new(
    context: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Workload directory to make.")],
    from_kernel: Annotated[
        Path | None, typer.Option("--from-kernel", metavar="F.cu", help="Make it from this CUDA file; needs no model.")
    ] = None,
    describe: Annotated[
        str | None,
        typer.Option("--describe", metavar="TEXT", help="Make it from these words: a model writes, you approve."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with DIR.draft; files that you edited there stay as they are.")
    ] = False,
    entry: Annotated[
        str | None,
        typer.Option(
            "--entry", help="With --from-kernel: kernel to optimize.", show_default="the only or the launched one"
        ),
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option(
            "--oracle",
            metavar="stub|kernel|F.py",
            help=(
                "With --from-kernel: stub (a reference.py to fill in) or kernel (check against your own kernel). "
                "With --describe: your reference.py instead of a generated one."
            ),
            show_default="stub",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="PROVIDER:NAME", help="With --describe: who writes.")
    ] = None,
    reviewer: Annotated[
        str | None,
        typer.Option(
            "--reviewer",
            metavar="PROVIDER:NAME",
            help="With --describe: who writes the second implementation, without sight of the first.",
            show_default="the model",
        ),
    ] = None,
    base_url: BaseUrlOption = None,
    workload_toml: Annotated[
        Path | None, typer.Option("--workload-toml", metavar="F.toml", help="With --describe: your workload.toml.")
    ] = None,
    kernel: Annotated[
        Path | None, typer.Option("--kernel", metavar="F.cu", help="With --describe: your initial kernel.")
    ] = None,
    reference_kernel: Annotated[
        Path | None,
        typer.Option("--reference-kernel", metavar="F.cu", help="With --describe: your second implementation."),
    ] = None,
    device: DeviceOption = "auto",
    accept: Annotated[
        bool, typer.Option("--yes", help="Ask nothing: take every guess; approve what passes every check.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """From a kernel: ask what its source leaves open. From words: have it written, examined, approved, frozen."""
    from warpwright.errors import UsageError

    source = context.get_parameter_source("device")
    given_device = source is not None and source.name != "DEFAULT"
    wanted = [
        name
        for name, given in (("--from-kernel", from_kernel), ("--describe", describe), ("--resume", resume))
        if given
    ]
    if len(wanted) != 1:
        found = " and ".join(wanted) if wanted else "none of them"
        raise UsageError(f"new takes one of --from-kernel F.cu, --describe TEXT, --resume; found {found}.")
    files = {"workload.toml": workload_toml, "kernel.cu": kernel, "reference.cu": reference_kernel}
    described = {"--model": model, "--reviewer": reviewer, "--base-url": base_url, **files}
    if from_kernel is not None:
        idle = [name for name, given in described.items() if given is not None]
        if idle:
            raise UsageError(f"{', '.join(idle)}: only with --describe; --from-kernel needs no model and no such file.")
        if given_device:
            raise UsageError(f"--device {device}: only with --describe; --from-kernel runs nothing.")
        return _from_kernel(from_kernel, directory, oracle or "stub", entry, _Manner(accept, json))
    from warpwright.cli import describing

    supplied = {name: path for name, path in files.items() if path is not None}
    if oracle in _ORACLE_KINDS or entry is not None:
        raise UsageError(
            "--entry and --oracle stub|kernel: only with --from-kernel; with --describe, --oracle names a file."
        )
    if oracle is not None:
        supplied["reference.py"] = Path(oracle)
    if resume and supplied:
        raise UsageError(f"{', '.join(supplied)}: put your files into {directory}.draft/workload, then --resume.")
    asked = device if given_device else None
    wish = describing.Wish(directory, describe, model, reviewer, base_url, asked, supplied, accept, json)
    return describing.resume(wish) if resume else describing.begin(wish)


def _from_kernel(source: Path, directory: Path, oracle: str, entry: str | None, manner: _Manner) -> int:
    import sys

    from warpwright.cli.output import print_json, results, say
    from warpwright.workload.scaffold import scaffold_from_kernel

    asks = sys.stdin.isatty() and not manner.accept and not manner.json
    report = scaffold_from_kernel(source, directory, ask=_ask if asks else None, oracle=_kind(oracle), entry=entry)
    if manner.json:
        print_json(
            {
                "directory": str(report.directory),
                "entry": report.entry,
                "files": list(report.files),
                "guesses": list(report.guesses),
                "notes": list(report.notes),
            }
        )
        return 0
    results().print(f"{report.directory}: {', '.join(report.files)} for kernel {report.entry}", markup=False)
    for guess in report.guesses:
        say(f"guessed: {guess}")
    for note in report.notes:
        say(f"note: {note}")
    say(f"next: warpwright check {report.directory}")
    return 0


def _kind(oracle: str) -> "Literal['stub', 'kernel']":
    from warpwright.errors import UsageError

    if oracle == "stub":
        return "stub"
    if oracle == "kernel":
        return "kernel"
    raise UsageError(f"--oracle {oracle}: with --from-kernel it is one of {', '.join(_ORACLE_KINDS)}.")


def _ask(question: "Question") -> str | None:
    """One question on the terminal; Enter takes the guess. Raises: Interrupted on Ctrl-C and at the end of input."""
    from warpwright.cli.output import answering

    with answering():
        return typer.prompt(f"{question.text} [{question.guess}]", default="", show_default=False, err=True) or None
