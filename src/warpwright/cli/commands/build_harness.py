"""`warpwright build-harness`: compile the GPU harness where the installation came without it."""

from pathlib import Path
from typing import Annotated

import typer

from warpwright.cli.options import JsonOption


def build_harness(
    source: Annotated[
        Path | None,
        typer.Option("--source", metavar="DIR", help="Source tree of Warpwright.", show_default="the one it runs from"),
    ] = None,
    prefix: Annotated[
        Path | None,
        typer.Option(
            "--prefix",
            metavar="DIR",
            help="Install into DIR/bin; then name the program in WARPWRIGHT_HARNESS.",
            show_default="the installation",
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Compile warpwright-harness with CMake and install it; needs a C++17 compiler and no CUDA."""
    from warpwright.cli.output import print_json, say
    from warpwright.device import harness_build
    from warpwright.errors import UsageError

    tree = source or harness_build.checkout()
    if tree is None:
        raise UsageError("this installation has no sources. Name a source tree of Warpwright by --source DIR.")
    program = harness_build.build_harness(tree, prefix or harness_build.installed_prefix())
    if json:
        print_json({"harness": str(program)})
    else:
        say(f"built {program}")
    return 0
