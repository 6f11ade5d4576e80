"""One `warpwright-harness serve` process: a request in, its reply out, nothing left behind (`docs/harness.md`)."""

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from warpwright.device.gpu.wire.attachments import Attachment
from warpwright.device.gpu.wire.exchange import Exchange
from warpwright.device.gpu.wire.messages import Answer, Message, receive
from warpwright.device.gpu.wire.replies import WireError, WireFault, parse
from warpwright.device.protocol import Array
from warpwright.errors import InfrastructureError
from warpwright.isolation.framing import Misfit
from warpwright.isolation.line_process import Command, LineProcess
from warpwright.isolation.process import WorkerEnded

Json = Mapping[str, Any]

GRACE_S = 5.0
"""Beyond the limits that the harness keeps itself: then it is not the kernel that hangs but the process."""

_SLOWEST_BYTES_PER_S = 20e6
"""Of a link that is still worth using; data on its way does not count as hanging."""

_LOGGER = logging.getLogger(__name__)


class HarnessError(InfrastructureError):
    """The harness could not do what it was asked, and it is not the candidate's fault. error: in its own words."""

    def __init__(self, operation: str, error: WireError) -> None:
        driver = f" ({error.call} gave {error.name or error.code})" if error.call else ""
        super().__init__(f"the harness could not {operation}: {error.message}{driver}")
        self.operation = operation
        self.error = error


class HarnessClient:
    """One process. Not thread-safe, but `kill` may come from any thread.

    log: every request is written there with its attachments, in the form that `warpwright-harness` reads; the lines of the
    replies beside it. exchange: the folder that the command was given; removed when the process is ended.
    Raises: OSError if the command cannot be started.
    """

    def __init__(self, command: Command, log: Path | None = None, exchange: Exchange | None = None) -> None:
        self._process = LineProcess(command)
        self._log = log
        self._folder = exchange
        self._next_id = 1

    @property
    def pid(self) -> int:
        """Process id of the command."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """False once it has ended."""
        return self._process.running

    @property
    def stderr(self) -> str:
        """The last lines it wrote there: driver messages and what kernels printed."""
        return self._process.stderr

    def request(
        self,
        operation: str,
        fields: Json | None = None,
        attachments: Sequence[Array] = (),
        *,
        time_limit_s: float,
        reply_bytes: int = 0,
    ) -> Answer | WireFault:
        """Ask for one operation.

        time_limit_s: sum of the limits that the harness keeps; reply_bytes: expected, for the deadline. Raises: HarnessError;
        WorkerEnded if the process is killed at its deadline or ends; InfrastructureError for a reply that is none.
        """
        identity, self._next_id = self._next_id, self._next_id + 1
        message = Message(
            {"id": identity, "op": operation, **(fields or {})}, [Attachment(each) for each in attachments]
        )
        deadline_s = time_limit_s + GRACE_S + (reply_bytes + message.size_bytes) / _SLOWEST_BYTES_PER_S
        self._record_request(message)
        answer = self._exchange(operation, message, deadline_s)
        self._record_reply(answer)
        _LOGGER.debug("harness %d: %s %d: %.500s", self.pid, operation, identity, answer.body)
        return self._judged(operation, identity, answer)

    def close(self) -> None:
        """Let it end by itself, kill it if it does not. Doing it twice is harmless."""
        self._process.finish()
        self._remove_folder()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._remove_folder()

    def _remove_folder(self) -> None:
        if self._folder is not None:
            self._folder.remove()

    def _exchange(self, operation: str, message: Message, deadline_s: float) -> Answer:
        folder = self._folder
        try:
            return self._process.exchange(
                lambda pipe: message.send(pipe, folder), lambda pipe: receive(pipe, folder), deadline_s
            )
        except WorkerEnded as ended:
            self._remove_folder()
            if isinstance(ended.__cause__, Misfit):
                raise InfrastructureError(
                    f"the harness answered `{operation}` with something else than a reply: {ended.__cause__}. It was ended."
                ) from ended
            raise

    def _judged(self, operation: str, identity: int, answer: Answer) -> Answer | WireFault:
        body = answer.body
        if "error" in body:
            raise HarnessError(operation, parse(WireError, body["error"], operation))
        if body.get("id") != identity:
            self.kill()
            raise InfrastructureError(
                f"the harness answered `{operation}` with id {body.get('id')!r}; asked was {identity}. It was ended."
            )
        if "fault" not in body:
            return answer
        if not isinstance(body["fault"], dict):
            parse(WireFault, body["fault"], operation)
        fault = parse(WireFault, {**body["fault"], "fatal": body.get("fatal", False)}, operation)
        if fault.fatal:
            self.close()
        return fault

    def _record_request(self, message: Message) -> None:
        """With all attachments behind the line, so that the file can be sent to a harness as it is."""
        if self._log is not None:
            with self._log.open("ab") as log:
                message.send(log, None)

    def _record_reply(self, answer: Answer) -> None:
        """Its line only."""
        if self._log is not None:
            with self._log.with_suffix(".replies.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(answer.body) + "\n")
