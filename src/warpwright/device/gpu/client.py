"""One `warpwright-harness serve` process: a request in, its reply out, nothing left behind (`docs/harness.md`)."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from warpwright.device.gpu.attachments import Attachment, read_arrays
from warpwright.device.gpu.replies import WireError, WireFault, parse
from warpwright.device.protocol import Array
from warpwright.errors import InfrastructureError
from warpwright.isolation.framing import FramingError, Misfit
from warpwright.isolation.line_process import Command, LineProcess
from warpwright.isolation.process import WorkerEnded

Json = Mapping[str, Any]

GRACE_S = 5.0
"""Beyond the limits that the harness keeps itself: then it is not the kernel that hangs but the process."""

_SLOWEST_BYTES_PER_S = 20e6
"""Of a link that is still worth using; data on its way does not count as hanging."""

_MAX_LINE_BYTES = 256 * 1024 * 1024
_LOGGER = logging.getLogger(__name__)


class HarnessError(InfrastructureError):
    """The harness could not do what it was asked, and it is not the candidate's fault. error: in its own words."""

    def __init__(self, operation: str, error: WireError) -> None:
        driver = f" ({error.call} gave {error.name or error.code})" if error.call else ""
        super().__init__(f"the harness could not {operation}: {error.message}{driver}")
        self.operation = operation
        self.error = error


@dataclass(frozen=True, slots=True)
class Answer:
    """A result: its JSON and its arrays, which belong to the receiver."""

    body: Json
    arrays: tuple[Array, ...]


class HarnessClient:
    """One process. Not thread-safe, but `kill` may come from any thread.

    log: every request is written there with its attachments, in the form that `warpwright-harness run-once` reads.
    Raises: OSError if the command cannot be started.
    """

    def __init__(self, command: Command, log: Path | None = None) -> None:
        self._process = LineProcess(command)
        self._log = log
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
        streams = [Attachment(array) for array in attachments]
        sizes = {"npy_bytes": [stream.size_bytes for stream in streams]} if streams else {}
        line = (
            json.dumps({"id": identity, "op": operation, **(fields or {}), **sizes}, allow_nan=False).encode() + b"\n"
        )
        moved = reply_bytes + sum(stream.size_bytes for stream in streams)
        deadline_s = time_limit_s + GRACE_S + moved / _SLOWEST_BYTES_PER_S
        self._record(line, streams)
        answer = self._exchange(operation, line, streams, deadline_s)
        _LOGGER.debug("harness %d: %s %d: %.500s", self.pid, operation, identity, answer.body)
        return self._judged(operation, identity, answer)

    def close(self) -> None:
        """Let it end by itself, kill it if it does not. Doing it twice is harmless."""
        self._process.finish()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def _exchange(self, operation: str, line: bytes, streams: Sequence[Attachment], deadline_s: float) -> Answer:
        try:
            return self._process.exchange(lambda pipe: _send(pipe, line, streams), _receive, deadline_s)
        except WorkerEnded as ended:
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

    def _record(self, line: bytes, streams: Sequence[Attachment]) -> None:
        if self._log is None:
            return
        with self._log.open("ab") as log:
            _send(log, line, streams)


def _send(stream: IO[bytes], line: bytes, attachments: Sequence[Attachment]) -> None:
    stream.write(line)
    for attachment in attachments:
        attachment.write(stream)


def _receive(stream: IO[bytes]) -> Answer:
    line = stream.readline(_MAX_LINE_BYTES)
    if not line.endswith(b"\n"):
        raise FramingError("the harness closed its output")
    try:
        body = json.loads(line)
    except ValueError as error:
        raise Misfit(f"no JSON: {line[:200]!r}") from error
    sizes = body.get("npy_bytes", []) if isinstance(body, dict) else None
    if not isinstance(sizes, list) or not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise Misfit(f"{line[:200]!r}")
    return Answer(body, read_arrays(stream, sizes))
