"""`warpwright report`: write report.html of a session."""

from pathlib import Path
from typing import Annotated

import typer

from warpwright.cli.options import JsonOption, SessionArgument, SessionsOption


def report(
    session: SessionArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write.", show_default="SESSION/report.html")
    ] = None,
    sessions: SessionsOption = None,
    json: JsonOption = False,
) -> int:
    """Write the self-contained HTML report; works while the session runs."""
    from warpwright.cli.output import print_json, results
    from warpwright.cli.session_run import open_session
    from warpwright.report.html import write_report

    path = write_report(open_session(session, sessions, lock=False), output)
    if json:
        print_json({"report": str(path)})
    else:
        results().print(str(path), markup=False, soft_wrap=True)
    return 0
