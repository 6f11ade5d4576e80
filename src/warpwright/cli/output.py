"""Where words go: results to stdout, messages to stderr, one JSON document to stdout under `--json`."""

import json
import sys
from typing import Any

from rich.console import Console


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
    """A message, as it is (no markup), on stderr."""
    messages().print(text, markup=False, soft_wrap=True)
