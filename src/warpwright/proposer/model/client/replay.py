"""Replies recorded in a session, given again in their order: a proposer without key, network or cost."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Self

from warpwright.errors import RecordError
from warpwright.proposer.conversation import Exchange, FaultKind, Forbids, Message, ModelFault, Reply, ToolSpec
from warpwright.proposer.exchange_files import read_exchanges
from warpwright.proposer.model.client.found import read_found


class ReplayClient:
    """`ModelClient` that answers with what a model answered before. Safe to use from several threads."""

    def __init__(self, name: str, exchanges: Sequence[Exchange], takes_tools: bool | None = None) -> None:
        """name: for records and messages. exchanges: in the order in which they are to be given. takes_tools: as was found out
        when they were recorded; None is unknown.
        """
        self._name = name
        self._known_to_take_tools = takes_tools
        self._exchanges = tuple(exchanges)
        self._next = 0
        self._lock = Lock()

    @classmethod
    def of_session(cls, directory: Path, skip: int = 0) -> Self:
        """Those of a session directory, attempt by attempt. skip: how many were given before.

        Raises: RecordError if it is no session or holds no exchange.
        """
        attempts = directory / "attempts"
        if not attempts.is_dir():
            raise RecordError(f"{directory}: no session (it has no folder attempts).")
        folders = sorted(path for path in attempts.iterdir() if path.is_dir() and path.name.isdigit())
        exchanges = [exchange for folder in folders for exchange in read_exchanges(folder)]
        if not exchanges:
            raise RecordError(f"{directory}: no model was asked in this session, so there is nothing to replay.")
        found = read_found(directory)
        name = f"replay:{directory.resolve().name}"  # where it lies on this machine is nobody's business
        client = cls(name, exchanges, None if found is None else found.takes_tools)
        client._next = skip
        return client

    @property
    def name(self) -> str:
        """`replay:SESSION`, by the name of its directory."""
        return self._name

    @property
    def takes_tools(self) -> bool:
        """As the recorded model did; where that is unknown, whether it ever called one."""
        if self._known_to_take_tools is not None:
            return self._known_to_take_tools
        return any(isinstance(each.outcome, Reply) and each.outcome.calls for each in self._exchanges)

    def ask(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
    ) -> Reply | ModelFault:
        """The next recorded outcome, for which nobody waited this time; `USED_UP` when there is none left."""
        del messages, tools, forbids  # the record says what comes next, and how often it was tried
        with self._lock:
            position = self._next
            self._next += 1
        if position < len(self._exchanges):
            return replace(self._exchanges[position].outcome, seconds=0.0)
        count = len(self._exchanges)
        return ModelFault(
            FaultKind.USED_UP,
            f"{self._name}: all of its recorded replies ({count}) are used",
            1,
            0.0,
        )
