"""`warpwright show`: what a session tried and found."""

from warpwright.cli.options import JsonOption, SessionArgument, SessionsOption


def show(session: SessionArgument, sessions: SessionsOption = None, json: JsonOption = False) -> int:
    """Print the attempts of a session; works while it runs."""
    from warpwright.cli.output import print_json, results
    from warpwright.cli.session_run import open_session
    from warpwright.report.summary import session_to_json
    from warpwright.report.tables import session_tables

    opened = open_session(session, sessions, lock=False)
    if json:
        print_json(session_to_json(opened))
    else:
        for table in session_tables(opened):
            results().print(table)
    return 0
