"""`warpwright new`: a workload directory from a kernel of the user's."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warpwright.cli.options import JsonOption

if TYPE_CHECKING:
    from warpwright.workload.scaffold import Question


class OracleChoice(StrEnum):
    """Where expected outputs come from."""

    STUB = "stub"
    KERNEL = "kernel"


def new(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Workload directory to make.")],
    from_kernel: Annotated[Path, typer.Option("--from-kernel", metavar="F.cu", help="CUDA file with the kernel.")],
    entry: Annotated[
        str | None, typer.Option("--entry", help="Kernel to optimize.", show_default="the only or the launched one")
    ] = None,
    oracle: Annotated[
        OracleChoice,
        typer.Option("--oracle", help="stub: a reference.py to fill in; kernel: check against your own kernel."),
    ] = OracleChoice.STUB,
    accept_guesses: Annotated[bool, typer.Option("--yes", help="Ask nothing; take every guess.")] = False,
    json: JsonOption = False,
) -> int:
    """Read signature and launch code, ask what the source leaves open, write the files."""
    import sys

    from warpwright.cli.output import print_json, results, say
    from warpwright.workload.scaffold import scaffold_from_kernel

    asks = sys.stdin.isatty() and not accept_guesses and not json
    report = scaffold_from_kernel(from_kernel, directory, ask=_ask if asks else None, oracle=oracle.value, entry=entry)
    if json:
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


def _ask(question: "Question") -> str | None:
    """One question on the terminal; Enter takes the guess."""
    return typer.prompt(f"{question.text} [{question.guess}]", default="", show_default=False, err=True) or None
