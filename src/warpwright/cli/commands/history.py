"""`warpwright history`: what sessions taught, over all of them."""

from typing import Annotated

import typer

from warpwright.cli.options import JsonOption


def listing(json: JsonOption = False) -> int:
    """Print every session that taught something, newest first, and what worked in it."""
    from warpwright.cli.history import learnt_to_json, open_history, print_history
    from warpwright.cli.output import print_json, results, say

    history = open_history()
    learnt = history.everything()
    if json:
        print_json([learnt_to_json(each) for each in learnt])
    elif learnt:
        print_history(results(), learnt)
    else:
        say(f"{history.path}: nothing was learnt yet; a session adds to it when it ends")
    return 0


def forget(
    sessions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SESSION...]", help="As `history list` names them, their beginnings, or directories."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove the file, whatever it holds.")] = False,
    json: JsonOption = False,
) -> int:
    """Drop what sessions taught. The sessions themselves stay."""
    from warpwright.cli.history import named, open_history
    from warpwright.cli.output import print_json, results
    from warpwright.errors import UsageError

    if bool(sessions) == everything:
        raise UsageError("history forget: name sessions (`warpwright history list` shows them), or give --all.")
    history = open_history()
    if everything:
        history.forget_all()
        told = f"removed: {history.path}"
    else:
        known = history.forget(named(history, sessions or []))
        told = f"dropped: {known} of {known + len(history.names())} sessions"
    if json:
        print_json({"path": str(history.path), "message": told})
    else:
        results().print(told, markup=False, soft_wrap=True)
    return 0


def path(json: JsonOption = False) -> int:
    """Print where the history lies."""
    from warpwright.cli.history import open_history
    from warpwright.cli.output import print_json, results

    file = open_history().path
    if json:
        print_json({"path": str(file), "exists": file.exists(), "bytes": file.stat().st_size if file.exists() else 0})
    else:
        results().print(str(file), markup=False, soft_wrap=True)
    return 0
