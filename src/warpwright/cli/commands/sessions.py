"""`warpwright sessions`: list them."""

from warpwright.cli.options import JsonOption, SessionsOption


def sessions(sessions: SessionsOption = None, json: JsonOption = False) -> int:
    """Print every session under ./sessions, newest first."""
    from warpwright.cli.environment import environment
    from warpwright.cli.output import print_json, results
    from warpwright.record.catalog import list_sessions
    from warpwright.report.summary import listing_to_json
    from warpwright.report.tables import sessions_table

    listings = list_sessions(sessions or environment().sessions)
    if json:
        print_json([listing_to_json(listing) for listing in listings])
    else:
        results().print(sessions_table(listings))
    return 0
