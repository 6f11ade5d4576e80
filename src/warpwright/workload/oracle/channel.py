"""One process of the oracle with the memory that it shares: messages of JSON and arrays in both directions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from warpwright.isolation.framing import Json
from warpwright.isolation.process import WorkerProcess
from warpwright.workload.oracle.arena import Arena, aligned
from warpwright.workload.oracle.arrays import (
    SHARED_FROM_BYTES,
    Bytes,
    as_bytes,
    lay_out,
    nothing_shared,
    rebuild,
    room_for,
)
from warpwright.workload.values import Array

NO_DESCRIPTOR = -1
"""What a process is told that shares no memory."""


class BadAnswer(ValueError):
    """The process answered with something else than arrays."""


@dataclass(frozen=True, slots=True)
class Question:
    """body: what is asked. arrays: what goes with it.

    answer_sizes: bytes of each array that the answer may have, at most; larger ones come through the pipe.
    """

    body: Json
    arrays: Mapping[str, Array]
    answer_sizes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back; the arrays belong to the receiver."""

    body: Json
    arrays: dict[str, Array]


class Channel:
    """A process and its arena; both are there from the first call on. Only `interrupt` is for other threads."""

    def __init__(self, module: str, arguments: Sequence[str], directory: Path) -> None:
        self._arena = Arena.open()
        descriptor = NO_DESCRIPTOR if self._arena is None else self._arena.descriptor
        inherited = () if self._arena is None else (descriptor,)
        self._process = WorkerProcess(module, (*arguments, str(descriptor)), directory, inherited)

    def greeting(self) -> Json:
        """What the process says when it starts. Raises: InfrastructureError if it does not start."""
        self._process.start()
        return self._process.greeting

    def call(self, question: Question, time_limit_s: float) -> Answered:
        """Raises: WorkerEnded if the process is killed at its deadline or ends, BadAnswer, InfrastructureError."""
        sent = lay_out(question.arrays, 0, 0 if self._arena is None else None)
        answers = aligned(sent.end)
        size = answers + room_for(question.answer_sizes)
        shares = self._arena is not None and size >= SHARED_FROM_BYTES
        body = {**question.body, "arrays": sent.described, "arena": size if shares else 0, "answers": answers}
        piped = [as_bytes(array) for array in sent.piped]
        if self._arena is None or not shares:
            return self._exchange(body, piped, None, time_limit_s)
        try:
            self._arena.resize(size)
            for offset, array in sent.shared:
                self._arena.write(offset, as_bytes(array))
            return self._exchange(body, piped, self._arena, time_limit_s)
        finally:
            self._arena.resize(0)

    def interrupt(self) -> None:
        """End the process while another thread calls it: that call raises WorkerEnded."""
        self._process.interrupt()

    def close(self) -> None:
        """End the process and give up the arena."""
        self._process.discard()
        if self._arena is not None:
            self._arena.close()
            self._arena = None

    def _exchange(self, body: Json, piped: Sequence[memoryview], arena: Arena | None, time_limit_s: float) -> Answered:
        reply = self._process.call(body, piped, time_limit_s=time_limit_s)

        def shared(offset: int, size: int) -> Bytes:
            if arena is None:
                return nothing_shared(offset, size)
            if not 0 <= offset <= offset + size <= body["arena"]:
                raise BadAnswer(f"{size} bytes at {offset} of {body['arena']}")
            place = memoryview(np.empty(size, np.uint8))
            arena.read_into(offset, place)
            return place

        try:
            return Answered(reply.body, rebuild(reply.body.get("arrays", ()), reply.buffers, shared))
        except (ValueError, KeyError, TypeError) as error:
            raise BadAnswer(str(error)) from error
