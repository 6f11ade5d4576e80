"""Opens sessions and drives them: what `optimize`, `resume`, `show` and `report` share."""

from dataclasses import replace
from pathlib import Path

from warpwright.cli.environment import environment
from warpwright.cli.output import messages, print_json, results, say
from warpwright.errors import NoCandidatePassed
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session


def start_session(workload_directory: Path, options: SessionOptions, root: Path | None) -> Session:
    """A new session with a frozen copy of the workload. Raises: InputError, UnavailableError before anything is written."""
    from warpwright.cli.bench_options import device_options
    from warpwright.cli.versions import versions
    from warpwright.device.registry import notice, open_device
    from warpwright.loop.state import GRAPH_VERSION
    from warpwright.proposer.registry import open_proposer
    from warpwright.workload.loader import load_workload

    workload = load_workload(workload_directory)
    open_proposer(options.proposer)
    opening = device_options()
    device = open_device(options.device, opening)
    device.close()
    told = notice(options.device, device, opening)
    if told is not None:
        say(told)
    chosen = replace(options, device=device.name)  # `auto` is settled once: a resume runs on the same device
    return Session.create(
        root or environment().sessions, workload, chosen, versions(), device.description, GRAPH_VERSION
    )


def open_session(text: str, root: Path | None, *, lock: bool = True) -> Session:
    """An existing session by directory, name, start of its name, or `last`."""
    from warpwright.record.catalog import find_session

    return Session.open(find_session(root or environment().sessions, text), lock=lock)


def run_and_print(session: Session, *, as_json: bool, quiet: bool) -> int:
    """Run a session to its end, show it live, print the result. Raises: NoCandidatePassed, Interrupted."""
    from warpwright.cli.bench_options import bench_options
    from warpwright.loop.context import open_context
    from warpwright.loop.run import run_session
    from warpwright.report.summary import session_to_json
    from warpwright.report.tables import session_tables
    from warpwright.report.terminal import watch

    if not session.ended:
        context = open_context(session, bench_options(), environment().documents)
        try:
            with watch(session, messages(), live=not quiet):
                context.recall(environment().history)
                run_session(context)
        finally:
            context.close()
    else:
        say(f"{session.directory}: this session has ended; nothing is left to do")
        session.close()
    if as_json:
        print_json(session_to_json(session))
    else:
        for table in session_tables(session):
            results().print(table)
        results().print(f"report: {session.directory / 'report.html'}", markup=False, soft_wrap=True)
    if session.best() == 0:
        raise NoCandidatePassed(f"{session.directory}: no candidate passed every check; `warpwright show` says why")
    return 0
