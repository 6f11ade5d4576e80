"""`warpwright try`: a person's or a coding agent's candidate enters a session through the same gates."""

from pathlib import Path
from typing import Annotated

import typer

from warpwright.cli.options import JsonOption, QuietOption, SessionArgument, SessionsOption


def try_candidate(
    session: SessionArgument,
    kernel: Annotated[
        Path, typer.Argument(metavar="KERNEL", help="A .cu file, or a candidate directory (candidate.toml inside).")
    ],
    launch: Annotated[
        Path | None,
        typer.Option(
            "--launch",
            metavar="candidate.toml|DIR",
            help="Launch plan and tunables of a .cu file.",
            show_default="the workload's [kernel]",
        ),
    ] = None,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="Why it should be faster, for the record.")] = "",
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Whose it is.", show_default="person")] = None,
    sessions: SessionsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Evaluate a candidate against the best of a stopped or ended session and record it; exit code 3 if it does not pass."""
    from warpwright.cli.bench_options import bench_options
    from warpwright.cli.entry import load_entry, print_entered, proposer_name
    from warpwright.cli.environment import environment
    from warpwright.cli.output import messages
    from warpwright.cli.session_run import open_session
    from warpwright.errors import NoCandidatePassed
    from warpwright.loop.entering import enter_candidate, open_for_entry
    from warpwright.record.attempt import Hypothesis
    from warpwright.report.terminal import watch

    proposer = proposer_name(by)
    with open_session(session, sessions) as opened:
        candidate = load_entry(kernel, launch, opened.workload.initial)
        found = environment()
        context = open_for_entry(opened, bench_options(), found.documents, found.history)
        try:
            with watch(opened, messages(), live=not quiet):
                hypothesis = Hypothesis("by hand", why.strip() or "no reason was given")
                entered = enter_candidate(context, candidate, hypothesis, proposer)
        finally:
            context.close()
    print_entered(opened, entered, as_json=json)
    return 0 if entered.passed else NoCandidatePassed.exit_code
