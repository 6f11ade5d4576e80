"""Entry point of `warpwright`: commands, exit codes, and the last handler of every error."""

import logging
import signal
import sys
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Annotated, Any

import typer

from warpwright import __version__
from warpwright.cli.commands.registry import COMMANDS, GROUPS
from warpwright.cli.output import say
from warpwright.errors import Interrupted, WarpwrightError

EPILOG = (
    "Begin with `warpwright doctor`, then `warpwright optimize examples/softmax`. "
    "Exit codes: 0 done; 1 a fault of Warpwright; 2 bad input; 3 no candidate passed; 4 unavailable; 130 interrupted; "
    "143 ended by SIGTERM."
)

_TERMINATED = 128 + signal.SIGTERM
"""As a shell reports it."""


def application() -> typer.Typer:
    """All commands; their heavy imports happen when one runs, so that `--help` answers at once."""
    app = typer.Typer(
        name="warpwright",
        help="Makes one CUDA kernel faster and proves it.",
        epilog=EPILOG,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_global_options)
    for command in COMMANDS:
        app.command(command.name, help=command.help)(_exiting(command.function))
    for group in GROUPS:
        inner = typer.Typer(name=group.name, help=group.help, no_args_is_help=True, rich_markup_mode=None)
        for command in group.commands:
            inner.command(command.name, help=command.help)(_exiting(command.function))
        app.add_typer(inner)
    return app


def _exiting(function: Callable[..., int]) -> Callable[..., None]:
    """The command, its result turned into the exit code."""

    @wraps(function)
    def run_and_exit(*args: Any, **kwargs: Any) -> None:
        raise typer.Exit(function(*args, **kwargs))

    return run_and_exit


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"warpwright {__version__}\n")
        raise typer.Exit


def _global_options(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say more on stderr; a fault of ours with its traceback.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    del version  # acted on by its callback
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.WARNING,
        stream=sys.stderr,
        format="%(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("warpwright").setLevel(logging.DEBUG if verbose else logging.WARNING)


def main() -> None:
    """Run the command line and exit with the code that `errors.py` and the design name."""
    told: list[int] = []

    def terminate(number: int, frame: FrameType | None) -> None:
        """As Ctrl-C, so that everything is cleaned up; what is sent again meanwhile changes nothing."""
        del frame
        signal.signal(number, signal.SIG_IGN)
        told.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
    code = run(sys.argv[1:])
    sys.exit(_TERMINATED if told and code == Interrupted.exit_code else code)


def run(arguments: list[str]) -> int:
    """Exit code of one command line."""
    verbose = "-v" in arguments or "--verbose" in arguments
    try:
        application()(arguments, prog_name="warpwright")
    except SystemExit as end:  # usage errors (2) and what the command returned
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        say("interrupted")
        return Interrupted.exit_code
    except WarpwrightError as error:
        say(f"{_kind(error)}: {error}")
        return error.exit_code
    except Exception as error:  # the last handler: a fault of ours must still end with a message and exit code 1
        if verbose:
            raise
        say(
            f"fault of Warpwright: {type(error).__name__}: {error}\nRun again as `warpwright --verbose ...` for the traceback."
        )
        return 1
    return 0


def _kind(error: WarpwrightError) -> str:
    return {2: "bad input", 3: "no candidate passed", 4: "unavailable", 130: "interrupted"}.get(
        error.exit_code, "fault"
    )


if __name__ == "__main__":
    main()
