"""Whether a candidate has been tried: it is answered from the record, not measured again."""

import json
import re
from collections.abc import Sequence
from functools import lru_cache

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_edit import normalised
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply
from warpwright.record.attempt import Attempt, PendingAttempt

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[^\n]*", re.MULTILINE)


def duplicate_of(candidate: Candidate, attempts: Sequence[Attempt | PendingAttempt]) -> BadReply | None:
    """The attempt that the candidate repeats, as a `duplicate`: same code but for layout and comments, launched the same."""
    key = identity_of(candidate)
    for attempt in attempts:
        if identity_of(attempt.candidate) == key:
            ended = f"ended as {attempt.evaluation.label}" if isinstance(attempt, Attempt) else "is being evaluated"
            detail = (
                f"attempt {attempt.number} was this kernel with this launch plan and these values already; it {ended}. "
                "Try something else."
            )
            return BadReply(BadKind.DUPLICATE, detail)
    return None


def identity_of(candidate: Candidate) -> str:
    """Equal for candidates that give the same binaries and launches; values that a tunable might take do not count."""
    facts = candidate.to_json()
    facts["source"] = _code_of(candidate.source)
    facts["overrides"] = {
        name: {**override, "point": candidate.values(name)} for name, override in facts["overrides"].items()
    }
    facts["point"] = candidate.values()
    del facts["tunables"], facts["source_name"]
    return json.dumps(facts, sort_keys=True)


@lru_cache(maxsize=1024)
def _code_of(source: str) -> str:
    """The tokens, and pragmas for themselves: the syntax tree may lack them. As written if a part cannot be read."""
    if parse_source(source).problems:
        return source
    return "\n".join((normalised(source), *(" ".join(line.split()) for line in _PRAGMA.findall(source))))
