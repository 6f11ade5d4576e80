"""`warpwright resume`: go on where a session stopped or was killed."""

from warpwright.cli.options import JsonOption, QuietOption, SessionArgument, SessionsOption


def resume(
    session: SessionArgument, sessions: SessionsOption = None, json: JsonOption = False, quiet: QuietOption = False
) -> int:
    """Open a session and run it to its end; an ended one is shown."""
    from warpwright.cli.session_run import check_model_of, open_session, run_and_print

    check_model_of(open_session(session, sessions, lock=False))
    return run_and_print(open_session(session, sessions), as_json=json, quiet=quiet)
