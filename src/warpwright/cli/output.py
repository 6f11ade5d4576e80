"""Where words go: results to stdout, messages to stderr, one JSON document to stdout under `--json`."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console

from warpwright.candidate.unseen import escaped
from warpwright.errors import Interrupted


def results() -> Console:
    """For what a command was asked for."""
    return Console(file=sys.stdout, highlight=False, emoji=False)


def messages() -> Console:
    """For everything said on the way."""
    return Console(file=sys.stderr, highlight=False, emoji=False)


def print_json(document: dict[str, Any] | list[Any]) -> None:
    """One JSON document on stdout; a NaN or infinity in it is a fault of ours and raises ValueError."""
    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def say(text: str) -> None:
    """A message, as it is (no markup; what would steer a terminal as its code), on stderr."""
    messages().print(escaped(text), markup=False, soft_wrap=True)


def confirmed(question: str) -> bool:
    """A person's yes or no on the terminal. Raises: Interrupted on Ctrl-C and at the end of input."""
    with answering():
        return typer.confirm(question, err=True)


@contextmanager
def answering() -> Iterator[None]:
    """Around a question: typer's own way of ending one has no exit code of ours."""
    try:
        yield
    except typer.Abort as abort:
        raise Interrupted("no answer was given, so nothing was done.") from abort
