"""What a killed process asked and looked up without having charged it is charged when its session is opened again."""

from warpwright.loop.model.charges import CUT_OFF, cut_off_lines, forgotten_lines, tool_line
from warpwright.proposer.exchange_files import clear_asking, read_asking, read_exchanges, read_tool_uses
from warpwright.record.session import Session


def settle(session: Session) -> None:
    """Every request that was sent is in the ledger when this returns, whatever the session does next. Raises: RecordError.

    A finished attempt is settled; the others may have directories before they are begun.
    """
    directories = session.attempt_directory(1).parent
    numbers = sorted(int(path.name) for path in directories.glob("*") if path.name.isdigit())
    for number in numbers:
        if number > session.attempt_count:
            _settle(session, number)


def cut_off(session: Session, number: int) -> int:
    """Requests of an attempt that the ledger has as cut off by a kill."""
    if not session.attempt_directory(number).exists():  # nothing of it was begun, so there is no need to read
        return 0
    return sum(line.attempt == number and line.outcome == CUT_OFF for line in session.ledger())


def _settle(session: Session, number: int) -> None:
    directory = session.attempt_directory(number)
    asking, exchanges, uses = read_asking(directory), read_exchanges(directory), read_tool_uses(directory)
    if asking is None and not exchanges and not uses:
        return
    lines = [line for line in session.ledger() if line.attempt == number]
    charged = [line.outcome for line in lines if line.kind == "model"]
    for line in forgotten_lines(number, exchanges, charged):
        session.spend(line)
    for line in cut_off_lines(number, len(exchanges), asking, charged):
        session.spend(line)
    for use in uses[sum(line.kind == "tool" for line in lines) :]:
        session.spend(tool_line(number, use))
    clear_asking(directory)
