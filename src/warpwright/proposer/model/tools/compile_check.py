"""Compiles a kernel and says what the compiler says; nothing is run or measured."""

import json
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from warpwright.candidate.candidate import Candidate
from warpwright.proposer.conversation import Reply, Stop
from warpwright.proposer.model.prompt.quoting import quoted, without_paths
from warpwright.proposer.model.reply.bad_reply import BadReply
from warpwright.proposer.model.reply.candidate import candidate_of
from warpwright.proposer.model.reply.parse import parse_reply
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool, room

_BACKTICKS = re.compile(r"`{3,}")


class _Ask(Arguments):
    source: Annotated[str, Field(description="The whole CUDA source.")]
    kernel: Annotated[
        dict[str, Any],
        Field(
            default_factory=dict,
            description="The kernel table of a reply; what it leaves out is as in the kernel to start from.",
        ),
    ]


def compile_check(aids: Aids, compiles: Callable[[Candidate], str]) -> Tool:
    """What a reply with this source would come to, as far as compiling."""

    def answer(asked: _Ask) -> str:
        candidate = _candidate(aids, asked)
        if isinstance(candidate, BadReply):
            return f"It would not be compiled.\n{quoted('why', without_paths(candidate.verdict), room())}"
        return quoted("compiler", without_paths(compiles(candidate)), room())

    return Tool(
        "compile_check",
        "Compile a kernel without running it: errors with their lines, or registers, shared memory and spills.",
        _Ask,
        answer,
    )


def _candidate(aids: Aids, asked: _Ask) -> Candidate | BadReply:
    """By the same way as a reply, so that nothing passes here which a reply may not say."""
    base = aids.base()
    longest = max((len(run) for run in _BACKTICKS.findall(asked.source)), default=2)
    fence = "`" * (longest + 1)
    header = json.dumps({"technique": "compile check", "hypothesis": "it compiles", "kernel": asked.kernel})
    text = f"```json\n{header}\n```\n{fence}cuda\n{asked.source}\n{fence}\n"
    entries = tuple(dict.fromkeys(launch.entry for launch in base.plan.launches))
    parsed = parse_reply(Reply(text, stop=Stop.END), entries, base.source)
    if isinstance(parsed, BadReply):
        return parsed
    return candidate_of(parsed, base, aids.state.workload, aids.state.gpu)
