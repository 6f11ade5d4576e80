"""Replies as models write them, each with what must come of it (`corpus/expected.toml`)."""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from warpwright.candidate.candidate import Candidate
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.hardware.catalog import load_gpu
from warpwright.proposer.conversation import Reply, Stop, ToolCall
from warpwright.proposer.model.reply.bad_reply import BadReply
from warpwright.proposer.model.reply.candidate import candidate_of
from warpwright.proposer.model.reply.duplicate import duplicate_of
from warpwright.proposer.model.reply.parse import ParsedReply, parse_reply
from warpwright.record.attempt import Attempt
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

HERE = Path(__file__).parent / "corpus"
EXAMPLES = Path(__file__).parents[4] / "examples"
USABLE = "usable"


@dataclass(frozen=True)
class Shape:
    """One row of `expected.toml`."""

    name: str
    verdict: str
    detail: list[str] = field(default_factory=list)
    source: str | None = None
    stop: str = "end"
    crlf: bool = False
    cr: bool = False
    bom: bool = False
    initial: bool = False
    """INITIAL in the reply stands for the initial kernel."""
    calls: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        text = (HERE / f"{self.name}.md").read_text(encoding="utf-8")
        if self.initial:
            text = text.replace("INITIAL", softmax().initial.source)
        ends = "\r\n" if self.crlf else "\r" if self.cr else "\n"
        return ("\ufeff" if self.bom else "") + text.replace("\n", ends)

    @property
    def reply(self) -> Reply:
        calls = tuple(ToolCall("1", name, {}) for name in self.calls)
        return Reply(self.text, calls, Stop(self.stop))

    @property
    def expected_source(self) -> str:
        """What the model wrote, found by other means than the parser's."""
        if self.source is not None:
            return (HERE / self.source).read_text(encoding="utf-8")
        blocks = re.findall(r"^(`{3,})(?:cuda|cpp)\n(.*?)^\1$", self.text, re.DOTALL | re.MULTILINE)
        return str(blocks[-1][1])


@cache
def shapes() -> tuple[Shape, ...]:
    rows: list[dict[str, Any]] = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))["reply"]
    return tuple(Shape(**row) for row in rows)


@cache
def softmax() -> Workload:
    return load_workload(EXAMPLES / "softmax")


def first_attempt() -> Attempt:
    evaluation = Evaluation(Outcome.PASSED, None, "", (), None, geomean_us=100.0)
    return Attempt(1, 0, "builtin", softmax().initial, None, evaluation)


def judged(reply: Reply) -> tuple[ParsedReply, Candidate] | BadReply:
    """A reply through everything that stands before compilation, from softmax's initial kernel."""
    workload = softmax()
    parsed = parse_reply(reply, ["softmax"], shown=workload.initial.source)
    if isinstance(parsed, BadReply):
        return parsed
    candidate = candidate_of(parsed, workload.initial, workload, load_gpu("h200"))
    if isinstance(candidate, BadReply):
        return candidate
    return duplicate_of(candidate, [first_attempt()]) or (parsed, candidate)
