"""From a reply to the files in it: forgiving about form, never about content."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warpwright.proposer.conversation import Reply, Stop
from warpwright.proposer.model.reply.blocks import Block, read_text
from warpwright.proposer.model.reply.elision import elided
from warpwright.proposer.model.reply.lexical import lexed

LANGUAGES = {
    "workload.toml": ("toml", "workload", "ini"),
    "reference.py": ("python", "py", "python3", "reference", "numpy"),
    "kernel.cu": ("cuda", "cu", "cpp", "c++", "c", "cc", "kernel"),
    "reference.cu": ("cuda", "cu", "cpp", "c++", "c", "cc", "kernel", "reference"),
}
"""Words beside a fence that are taken for each file, the plainest first."""
_SIGNS = {
    "workload.toml": re.compile(r"^\s*\[\[params\]\]", re.M),
    "reference.py": re.compile(r"^\s*def\s+reference\s*\(", re.M),
    "kernel.cu": re.compile(r"\b__global__\b"),
    "reference.cu": re.compile(r"\b__global__\b"),
}
"""What makes a block that file, whatever language it names."""
_NAMED = re.compile(r"^\s*(?:#|//|/\*)\s*(?:file:?\s*)?`?([\w.]+\.(?:toml|py|cu))\b")
_STANDS = re.compile(r"^[\s*_>`#-]*STANDS\b[\s*_`]*:?[\s*_`]*(.*)", re.M | re.S)
_ELIDED = re.compile(
    r"^\s*(?:\.\.\.|…)\s*$|#\s*(?:\.\.\.|…)|#.*\b(?:rest|remaining|same as before|unchanged)\b.*(?:\.\.\.|…)",
    re.I | re.M,
)
"""In TOML and Python."""
_REASON_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Written:
    """files: by name, those that the reply holds. stands: why the writer changes nothing; empty if it does."""

    files: Mapping[str, str]
    stands: str = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """kind: `truncated`, `no_files`, `missing`, `elided`. detail: exactly what is wrong and what to do."""

    kind: str
    detail: str

    @property
    def verdict(self) -> str:
        """`missing: reference.py`."""
        return f"{self.kind}: {self.detail}"


def read_files(reply: Reply, known: Sequence[str], needed: Sequence[str], *, may_stand: bool) -> Written | Unusable:
    """The files of a reply, the last block of each. known: what may be in it. needed: what must.

    may_stand: `STANDS: reason` is an answer too.
    """
    if reply.stop is Stop.LENGTH:
        return Unusable("truncated", "the reply was cut off at its length limit; say less around the files")
    text = read_text(reply.text)
    files = {name: block.body for block in text.blocks if (name := _name(block, known)) is not None}
    if not files:
        stands = _STANDS.search(text.prose)
        if may_stand and stands is not None and stands[1].strip():
            return Written({}, stands[1].strip()[:_REASON_CHARS])
        return Unusable("no_files", f"no fenced block that is one of {', '.join(known)}")
    missing = [name for name in needed if name not in files]
    if missing:
        return Unusable("missing", f"{', '.join(missing)}; each file is a fenced block of its own, in full")
    for name, body in files.items():
        gap = _gap(name, body)
        if gap is not None:
            return Unusable("elided", f"{name} stands for more than it says: {gap}; write it in full")
    return Written(files)


def _gap(name: str, body: str) -> str | None:
    if name.endswith(".cu"):
        return elided(lexed(body), body, frozenset())
    found = _ELIDED.search(body)
    return None if found is None else repr(found[0].strip())


def _name(block: Block, known: Sequence[str]) -> str | None:
    """Which file a block is: by the name in its first line, else by its language together with what such a file holds."""
    named = _NAMED.match(block.body)
    if named is not None:
        return named[1] if named[1] in known else None
    fits = [name for name in known if _SIGNS[name].search(block.body)]
    by_language = [name for name in fits if not block.language or block.language in LANGUAGES[name]]
    return next(iter(by_language or fits), None)
