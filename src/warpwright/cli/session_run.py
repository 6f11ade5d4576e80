"""Opens sessions and drives them: what `optimize`, `resume`, `show` and `report` share."""

from dataclasses import replace
from pathlib import Path

from warpwright.cli.environment import environment
from warpwright.cli.output import messages, print_json, results, say
from warpwright.errors import NoCandidatePassed, UsageError
from warpwright.record.event import Event
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session


def start_session(workload_directory: Path, options: SessionOptions, root: Path | None) -> Session:
    """A new session with a frozen copy of the workload. Raises: InputError, UnavailableError before anything is written."""
    from warpwright.cli.bench_options import device_options
    from warpwright.cli.model_settings import model_settings
    from warpwright.cli.versions import versions
    from warpwright.cli.workloads import open_workload, void_approval
    from warpwright.device.registry import notice, open_device
    from warpwright.loop.model.access import check_model
    from warpwright.loop.state import GRAPH_VERSION
    from warpwright.proposer.model.client.found import write_found

    workload = open_workload(workload_directory)
    options = usable_model(options, root)
    found = check_model(options, model_settings(), say)
    opening = device_options()
    device = open_device(options.device, opening)
    device.close()
    told = notice(options.device, device, opening)
    if told is not None:
        say(told)
    chosen = replace(options, device=device.name)  # `auto` is settled once: a resume runs on the same device
    session = Session.create(
        root or environment().sessions, workload, chosen, versions(), device.description, GRAPH_VERSION
    )
    if found is not None:
        write_found(session.directory, found)
    void = void_approval(workload)
    if void is not None:
        session.emit(Event("note", text=void))
    return session


def usable_model(options: SessionOptions, root: Path | None) -> SessionOptions:
    """The options with recorded replies named by their directory. Raises: UsageError, RecordError, ModelUnavailable."""
    from warpwright.cli.model_settings import model_settings
    from warpwright.loop.model.access import check_model_options
    from warpwright.loop.model.access import model_settings as settings_of
    from warpwright.proposer.registry import REPLAY, open_proposer

    if options.proposer.startswith(REPLAY):
        options = replace(options, proposer=f"{REPLAY}{_recorded(options.proposer.removeprefix(REPLAY), root)}")
    user = model_settings()
    check_model_options(options, user)
    open_proposer(options.proposer, settings_of(options, user))
    return options


def check_model_of(session: Session) -> None:
    """Ask the model of a session that goes on whether it is there. Raises: ModelUnavailable."""
    from warpwright.cli.model_settings import model_settings
    from warpwright.loop.model.access import check_model
    from warpwright.proposer.model.client.found import read_found, write_found

    if session.ended:
        return
    known = read_found(session.directory)
    found = check_model(session.options, model_settings(), say, known, begun=True)
    if found is not None and known is None:
        write_found(session.directory, found)


def print_first_prompt(workload_directory: Path, options: SessionOptions, *, as_json: bool) -> int:
    """What a model would be told first, after the initial kernel was evaluated; no model is asked, nothing is kept."""
    from tempfile import TemporaryDirectory

    from warpwright.cli.bench_options import bench_options
    from warpwright.cli.model_settings import model_settings
    from warpwright.cli.workloads import open_workload
    from warpwright.loop.model.access import check_model_options
    from warpwright.loop.model.dry_run import first_prompt, prompt_to_json

    check_model_options(options, model_settings())
    say("dry run: the initial kernel is evaluated and diagnosed; no model is asked and nothing is kept")
    workload = open_workload(workload_directory)
    with TemporaryDirectory(prefix="warpwright-dry-run-") as folder:
        user = environment()
        shown = first_prompt(workload, options, Path(folder), bench_options(), user.documents, user.history)
    if as_json:
        print_json(prompt_to_json(shown))
        return 0
    for message in shown.messages:
        results().print(f"--- {message.role.value}\n{message.text}\n", markup=False, soft_wrap=True)
    size = f"{shown.size_chars} characters, about {shown.size_tokens_estimate} tokens (an estimate)"
    say(f"first prompt: {size}. Later ones are bounded alike; replies and look-ups add to them.")
    return 0


def _recorded(text: str, root: Path | None) -> Path:
    from warpwright.record.catalog import find_session

    if not text:
        raise UsageError(
            "--model replay: names no session; write replay:SESSION, or replay:last. `warpwright sessions` has a list."
        )
    return find_session(root or environment().sessions, text).absolute()


def open_session(text: str, root: Path | None, *, lock: bool = True) -> Session:
    """An existing session by directory, name, start of its name, or `last`."""
    from warpwright.record.catalog import find_session

    return Session.open(find_session(root or environment().sessions, text), lock=lock)


def run_and_print(session: Session, *, as_json: bool, quiet: bool) -> int:
    """Run a session to its end, show it live, print the result. Raises: NoCandidatePassed, Interrupted."""
    from warpwright.cli.bench_options import bench_options
    from warpwright.cli.model_settings import model_settings
    from warpwright.loop.context import open_context
    from warpwright.loop.run import run_session
    from warpwright.report.summary import session_to_json
    from warpwright.report.tables import session_tables
    from warpwright.report.terminal import watch

    if session.ended:
        with session:
            _finish_ending(session, quiet=quiet)
    else:
        context = open_context(session, bench_options(), environment().documents, model_settings())
        try:
            with watch(session, messages(), live=not quiet):
                context.recall(environment().history)
                run_session(context)
        finally:
            context.close()
    if as_json:
        print_json(session_to_json(session))
    else:
        for table in session_tables(session):
            results().print(table)
        results().print(f"report: {session.directory / 'report.html'}", markup=False, soft_wrap=True)
    if session.best() == 0:
        raise NoCandidatePassed(f"{session.directory}: no candidate passed every check; `warpwright show` says why")
    return 0


def _finish_ending(session: Session, *, quiet: bool) -> None:
    """Of a session that has ended, what a kill left undone: nothing, what follows the summary, or a candidate of `try`."""
    from warpwright.cli.bench_options import bench_options
    from warpwright.loop.ending.complete import awaits_judgement, complete, is_complete, recorded_history
    from warpwright.loop.entering import catch_up, open_for_entry
    from warpwright.report.html import write_report
    from warpwright.report.summary import REPORT
    from warpwright.report.terminal import watch

    user = environment()
    if is_complete(session):
        say(f"{session.directory}: this session has ended; nothing is left to do")
        if not (session.directory / REPORT).exists():
            write_report(session)
    elif not awaits_judgement(session):
        say(f"{session.directory}: this session has ended; what was left undone at its end is done now")
        complete(session, recorded_history(session, user.history))
    else:
        say(f"{session.directory}: this session has ended; a candidate that entered it then is judged to its end")
        context = open_for_entry(session, bench_options(), user.documents, user.history)
        try:
            with watch(session, messages(), live=not quiet):
                catch_up(context)
        finally:
            context.close()
