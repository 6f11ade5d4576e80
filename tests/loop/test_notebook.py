"""What a conversation costs is on disk and in the ledger at once; a kill between the two is made up for."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from loop.tiny import write_tiny
from warpwright.errors import RecordError
from warpwright.loop.budget import Budget
from warpwright.loop.model.settling import settle
from warpwright.loop.notebook import SessionNotebook
from warpwright.loop.state import GRAPH_VERSION
from warpwright.proposer.conversation import (
    Estimate,
    Exchange,
    FaultKind,
    Message,
    ModelFault,
    Purpose,
    Reply,
    Role,
    ToolUse,
    Tries,
    Usage,
)
from warpwright.proposer.exchange_files import read_exchanges, write_exchange
from warpwright.record.event import LedgerEntry
from warpwright.record.ledger.spending import Spending
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

ASKED = (Message(Role.USER, "?"),)
PAID = Exchange(Purpose.PROPOSE, "m", ASKED, Reply("!", usage=Usage(100, 20), seconds=2.0), money_usd=0.1)
UNKNOWN = Exchange(Purpose.RE_ASK, "m", ASKED, Reply("!", seconds=1.0))
FAULT = Exchange(Purpose.RE_ASK, "m", ASKED, ModelFault(FaultKind.TIMEOUT, "late", 3, 9.0))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    workload = load_workload(write_tiny(tmp_path / "tiny"))
    options = SessionOptions("tiny", device="emulator")
    with Session.create(tmp_path / "sessions", workload, options, {}, "emulator", GRAPH_VERSION) as created:
        yield created


def budget(**caps: float | int) -> Budget:
    return Budget(None, None, patience=9, max_repairs=0, **caps)  # type: ignore[arg-type]


def opened(session: Session, budget: Budget) -> SessionNotebook:
    """As a process does that goes on with a session."""
    settle(session)
    return SessionNotebook(session, budget, session.next_number)


def test_what_is_kept_is_on_disk_and_in_the_ledger(session: Session) -> None:
    notebook = opened(session, budget())
    for exchange in (PAID, UNKNOWN, FAULT):
        notebook.keep(exchange)
    notebook.keep_tool(ToolUse("source", {}, "text", 0.5))
    assert opened(session, budget()).exchanges() == (PAID, UNKNOWN, FAULT)
    again = ["fault: tried again"] * 2
    assert [line.outcome for line in session.ledger()] == ["reply", "reply", "fault: timeout", *again, "source"]
    spent = session.spending()
    assert (spent.calls, spent.faults, spent.tokens, spent.without_tokens, spent.without_price) == (5, 3, 120, 4, 4)
    assert spent.seconds == 12.5


def test_requests_that_a_reply_took_more_are_counted_and_of_unknown_cost_unless_they_were_refused(
    session: Session,
) -> None:
    tried = replace(PAID, outcome=replace(PAID.outcome, tries=4, refused=1))
    notebook = opened(session, budget(model_calls=4))
    notebook.keep(tried)
    assert session.spending() == Spending(
        4, 3, 0, 100, 20, 2, 0.1, 2, 0.0, 2.0, 2.0, unreckoned_tokens=2, unreckoned_usd=2
    )
    assert notebook.admit("m", Estimate(1, 0.0)) == "budget: model calls: 4 of 4 used"


def test_retries_that_a_kill_kept_out_of_the_ledger_are_charged_once(session: Session) -> None:
    tried = replace(PAID, outcome=replace(PAID.outcome, tries=3))
    opened(session, budget()).keep(tried)
    ledger = session.directory / "ledger.jsonl"
    whole = ledger.read_bytes().splitlines(keepends=True)
    assert len(whole) == 3
    ledger.write_bytes(b"".join(whole[:2]))
    for _ in range(2):
        opened(session, budget())
    assert [line.outcome for line in session.ledger()] == ["reply", "fault: tried again", "fault: tried again"]


def test_an_exchange_of_an_older_ledger_with_one_line_for_all_its_requests_is_not_charged_again(
    session: Session,
) -> None:
    notebook = opened(session, budget())
    for exchange in (FAULT, PAID, UNKNOWN):
        notebook.keep(exchange)
    ledger = session.directory / "ledger.jsonl"
    fault, _, _, paid, _ = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(fault + paid)  # the third was killed before its line
    for _ in range(2):
        opened(session, budget())
    assert [(line.outcome, line.tokens_in) for line in session.ledger()] == [
        ("fault: timeout", None),
        ("reply", 100),
        ("reply", None),
    ]


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_fault_is_of_unknown_size_unless_the_server_refused_the_request(session: Session, kind: FaultKind) -> None:
    refused = kind in (FaultKind.AUTHENTICATION, FaultKind.RATE_LIMIT, FaultKind.REQUEST)
    notebook = opened(session, budget(tokens=100))
    notebook.keep(replace(FAULT, outcome=ModelFault(kind, "no", 1, 0.0)))
    assert (notebook.admit("m", Estimate(60, None)) is None) is refused


def test_a_verdict_is_written_to_the_reply_it_is_about(session: Session) -> None:
    notebook = opened(session, budget())
    notebook.keep(PAID)
    notebook.keep(UNKNOWN)
    notebook.judge("no_code: prose only")
    read = read_exchanges(session.attempt_directory(1))
    assert [exchange.verdict for exchange in read] == ["", "no_code: prose only"]
    assert session.spending().calls == 2


def test_a_reply_that_a_kill_kept_out_of_the_ledger_is_charged_once(session: Session) -> None:
    write_exchange(session.attempt_directory(1), 1, PAID)
    for _ in range(2):
        opened(session, budget())
    assert session.spending() == Spending(1, 0, 0, 100, 20, 0, 0.1, 0, 0.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("caps", "words"),
    [
        ({"model_calls": 1}, "budget: model calls: 1 of 1 used"),
        ({"tokens": 150}, "budget: tokens: 120 of 150 used, and the next request may take 50"),
        ({"money_usd": 0.13}, "budget: money: 0.1000 of 0.13 USD used, and the next request may cost 0.0500"),
    ],
)
def test_a_request_that_may_break_a_cap_is_refused(session: Session, caps: dict[str, float], words: str) -> None:
    notebook = opened(session, budget(**caps))
    assert notebook.admit("m", Estimate(50, 0.05)) is None
    assert notebook.refusal is None
    notebook.keep(PAID)
    assert notebook.admit("m", Estimate(50, 0.05)) == words
    assert notebook.refusal == words


def test_requests_of_unknown_size_count_like_the_next(session: Session) -> None:
    notebook = opened(session, budget(tokens=100, money_usd=0.2))
    notebook.keep(UNKNOWN)
    assert notebook.admit("m", Estimate(50, 0.1)) is None
    refusal = notebook.admit("m", Estimate(51, 0.1))
    assert refusal is not None
    assert "what 1 requests took is unknown" in refusal
    assert notebook.admit("m", Estimate(50, 0.101)) is not None


def test_no_caps_refuse_nothing(session: Session) -> None:
    notebook = opened(session, budget())
    for _ in range(5):
        notebook.keep(UNKNOWN)
    assert notebook.admit("m", Estimate(10**9, 10.0**6)) is None


def test_requests_of_the_exchange_in_hand_count(session: Session) -> None:
    notebook = opened(session, budget(model_calls=3))
    assert notebook.admit("m", Estimate(50, 0.1), Tries(2, 2)) is None
    assert notebook.admit("m", Estimate(50, 0.1), Tries(3, 3)) == "budget: model calls: 3 of 3 used"


@pytest.mark.parametrize("caps", [{"tokens": 100}, {"money_usd": 0.2}])
def test_those_that_the_server_refused_took_nothing(session: Session, caps: dict[str, float]) -> None:
    notebook = opened(session, budget(**caps))
    assert notebook.admit("m", Estimate(50, 0.1), Tries(2, 1)) is None
    refusal = notebook.admit("m", Estimate(50, 0.1), Tries(2, 0))
    assert refusal is not None
    assert "what 2 requests took is unknown" in refusal


def cut_off(session: Session) -> list[tuple[int | None, float | None]]:
    return [(e.tokens_in, e.money_usd) for e in session.ledger() if e.outcome == "fault: cut off by a kill"]


def test_requests_that_a_kill_cut_off_are_charged_once(session: Session) -> None:
    notebook = opened(session, budget())
    notebook.keep(PAID)
    notebook.admit("m", Estimate(1, 0.0))
    notebook.admit("m", Estimate(1, 0.0), Tries(1, 1))
    for _ in range(2):
        opened(session, budget())
    assert cut_off(session) == [(0, 0.0), (None, None)]
    assert session.spending().calls == 3


def test_a_kill_while_cut_off_requests_are_charged_loses_none(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(session, budget()).admit("m", Estimate(1, 0.0), Tries(2, 0))
    spend = session.spend

    def dies(entry: LedgerEntry) -> None:
        spend(entry)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(session, "spend", dies)
        with pytest.raises(KeyboardInterrupt):
            settle(session)
    assert len(cut_off(session)) == 1
    for _ in range(2):
        settle(session)
    assert cut_off(session) == [(None, None)] * 3
    assert not list(session.directory.rglob("asking.json"))


def test_a_request_that_was_lost_counts_as_it_was_reckoned_not_as_the_next_one(session: Session) -> None:
    opened(session, budget()).admit("m", Estimate(150, 0.3))
    notebook = opened(session, budget(tokens=200, money_usd=0.4))
    refusal = notebook.admit("m", Estimate(51, 0.1))
    assert (
        refusal == "budget: tokens: 0 of 200 used and what 1 requests took is unknown, and the next request may take 51"
    )
    assert notebook.admit("m", Estimate(50, 0.11)) is not None
    assert notebook.admit("m", Estimate(50, 0.1)) is None


def test_a_damaged_note_of_a_request_says_what_deleting_it_means(session: Session) -> None:
    opened(session, budget()).admit("m", Estimate(1, 0.0))
    (note,) = session.directory.rglob("asking.json")
    note.write_text("{}")
    with pytest.raises(RecordError, match=r"asking\.json.* Or delete it: the request that was cut off then counts"):
        settle(session)


def test_every_kill_is_charged_and_none_after_the_reply_came(session: Session) -> None:
    for _ in range(2):
        opened(session, budget()).admit("m", Estimate(1, 0.0))
    notebook = opened(session, budget())
    notebook.admit("m", Estimate(1, 0.0))
    notebook.keep(PAID)
    for _ in range(2):
        notebook = opened(session, budget())
    assert len(cut_off(session)) == 2
    assert session.spending().calls == 3
    assert notebook.exchanges() == (PAID,)


def test_a_reply_kept_out_of_the_ledger_after_an_earlier_kill_is_charged(session: Session) -> None:
    opened(session, budget()).admit("m", Estimate(1, 0.0))
    opened(session, budget()).admit("m", Estimate(1, 0.0))
    write_exchange(session.attempt_directory(1), 1, PAID)  # killed before the line of the ledger
    for _ in range(2):
        opened(session, budget())
    assert [line.outcome for line in session.ledger()] == ["fault: cut off by a kill", "reply"]


def test_recorded_replies_are_given_again_for_nothing_and_a_kill_cuts_nothing_off(session: Session) -> None:
    notebook = opened(session, budget(money_usd=0.1))
    assert notebook.admit("replay:s", Estimate(0, 0.0), Tries(2, 0)) is None
    opened(session, budget())
    assert session.spending() == Spending()
