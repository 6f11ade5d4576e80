"""A model's reply as a header and one CUDA source.

Forgiven is form: fences, languages, line ends, prose, thinking, drafts. Never content: what is cut off, left out, ambiguous
or no device code is a `BadReply`, so that a source comes out as the model wrote it or not at all.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from warpwright.errors import CandidateError
from warpwright.proposer.conversation import Reply, Stop
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply
from warpwright.proposer.model.reply.blocks import REPLACED, Block, ReplyText, read_text
from warpwright.proposer.model.reply.code_block import (
    CodeBlock,
    code_blocks,
    code_in_prose,
    is_code,
    is_json,
    plain_name,
)
from warpwright.proposer.model.reply.elision import elided
from warpwright.proposer.model.reply.header import Header, read_header
from warpwright.proposer.model.reply.host_code import host_code
from warpwright.proposer.model.reply.lexical import lexed
from warpwright.proposer.model.reply.spread import spread

MAX_REPLY_CHARS = 500_000
"""A longer text is no kernel."""
_NO_CODE_LINE = re.compile(
    r"^[ \t]*(?:```[^\n]*|~~~+[ \t]*\w*[ \t]*|</?(?:think|thinking|thought|reasoning)>[ \t]*)$",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED_CHARS = 160
_WHOLE = "Send one ```json block and then the whole source in one ```cuda block."


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """header: right by itself, not yet checked against the workload. source: as the model wrote it. kernels: defined in it."""

    header: Header
    source: str
    kernels: tuple[str, ...]


def parse_reply(reply: Reply, entries: Sequence[str], shown: str = "") -> ParsedReply | BadReply:
    """Read a reply.

    entries: kernels that the parent's plan launches; the header may name others. shown: source that the model was given;
    a comment that stands in it is no sign of something left out.
    """
    if reply.stop is Stop.LENGTH:
        detail = "the reply was cut off at the output limit. Say it shorter: no prose, the header and the source only."
        return BadReply(BadKind.TRUNCATED, detail)
    if reply.stop is Stop.REFUSED:
        return BadReply(BadKind.NO_CODE, f"the reply is a refusal: {_quoted(reply.text)}. {_WHOLE}")
    if len(reply.text) > MAX_REPLY_CHARS:
        detail = f"the reply has {len(reply.text)} characters; allowed: {MAX_REPLY_CHARS}."
        return BadReply(BadKind.NO_CODE, detail)
    text = read_text(reply.text)
    try:
        code = _code(text, reply)
        if isinstance(code, BadReply):
            return code
        fault = _fault_of_source(code, shown)
        return fault or _read(text, code, entries)
    except CandidateError as error:  # syntax so broken that it cannot even be walked
        return BadReply(BadKind.NO_CODE, f"the source cannot be read: {error}")


def _code(text: ReplyText, reply: Reply) -> CodeBlock | BadReply:
    """The last block that defines a kernel; none if a thought follows that never ends: then that block was a draft."""
    if (cut := _cut_off(text)) is not None:
        return cut
    if text.unfinished:
        return BadReply(BadKind.NO_CODE, f"the thinking never ends, so there is no answer. {_WHOLE}")
    outside = code_in_prose(text.prose)
    if outside is not None:
        detail = f"source stands outside of a fenced block: {_quoted(outside)}. {_WHOLE}"
        return BadReply(BadKind.NO_CODE, detail)
    blocks = code_blocks(text.blocks)
    code = next((block for block in reversed(blocks) if block.kernels or "__global__" in block.lexed.code), None)
    if code is None:
        return _no_code(text, reply, blocks)
    return _in_parts(text, code, blocks) or code


def _in_parts(text: ReplyText, code: CodeBlock, blocks: Sequence[CodeBlock]) -> BadReply | None:
    """A block of source that another one interrupts, or that needs another one. A header between them begins anew."""
    previous = text.blocks[code.position - 1] if code.position else None
    if previous is not None and not previous.closed and is_code(previous):
        detail = "a block of source does not end before the next one begins; is the one a part of the other?"
        return BadReply(BadKind.TRUNCATED, f"{detail} {_WHOLE}")
    missing = spread(code, blocks)
    if missing is not None:
        return BadReply(BadKind.NO_CODE, f"the source is spread over several blocks: {missing}. {_WHOLE}")
    return None


def _cut_off(text: ReplyText) -> BadReply | None:
    """A last block that does not end; an empty one right after another block is a fence too many."""
    last = text.blocks[-1] if text.blocks else None
    if last is None or last.closed or is_json(last) or not (last.body.strip() or last.before.strip()):
        return None
    return BadReply(
        BadKind.TRUNCATED,
        "the last fenced block does not end, so the source may be cut off. End it with a line that has the fence only.",
    )


def _no_code(text: ReplyText, reply: Reply, blocks: Sequence[CodeBlock]) -> BadReply:
    if any(block.language in ("diff", "patch") for block in text.blocks):
        return BadReply(BadKind.ELIDED, "the reply has a diff; allowed: the whole source in one ```cuda block.")
    for block in blocks:
        left_out = elided(block.lexed, block.block.body, frozenset())
        if left_out is not None:
            return BadReply(BadKind.ELIDED, f"the source is not whole: {left_out}. Send every line of it.")
    if any(block.block.body.strip() for block in blocks):
        return BadReply(BadKind.ENTRY_NOT_FOUND, f"no block defines a __global__ function. {_WHOLE}")
    if reply.calls and not reply.text.strip():
        names = ", ".join(call.name for call in reply.calls)
        return BadReply(BadKind.NO_CODE, f"the reply only asks for tools ({names}). {_WHOLE}")
    found = ", ".join(dict.fromkeys(block.language for block in text.blocks if block.language))
    what = f"it has blocks in {found}" if found else _quoted(text.prose) if text.prose.strip() else "it is empty"
    return BadReply(BadKind.NO_CODE, f"the reply has no block of CUDA source: {what}. {_WHOLE}")


def _fault_of_source(code: CodeBlock, shown: str) -> BadReply | None:
    """What is wrong with the source by itself."""
    if not code.block.closed:
        return BadReply(
            BadKind.TRUNCATED, "the block of the source does not end. End it with a line of its fence only."
        )
    if REPLACED in code.block.body:
        return BadReply(BadKind.POLICY, "the source has characters that are no UTF-8 text. Write it in ASCII.")
    stray = _NO_CODE_LINE.search(code.lexed.code)
    if stray is not None:
        detail = f"{stray[0].strip()!r} stands inside the source, so blocks begin or end in the wrong place. {_WHOLE}"
        return BadReply(BadKind.TRUNCATED, detail)
    if code.lexed.fault is not None:
        return BadReply(BadKind.TRUNCATED, f"the source is not whole: {code.lexed.fault}. Send every line of it.")
    known = frozenset(comment for _, comment in lexed(shown).comments)
    left_out = elided(code.lexed, code.block.body, known)
    if left_out is not None:
        return BadReply(BadKind.ELIDED, f"the source is not whole: {left_out}. Send every line of it.")
    return None


def _read(text: ReplyText, code: CodeBlock, entries: Sequence[str]) -> ParsedReply | BadReply:
    header = _header(text, code)
    if isinstance(header, BadReply):
        return header
    wanted = header.kernel.entries or tuple(entries)
    missing = [entry for entry in wanted if not code.defines(entry)]
    if missing:
        names = ", ".join(code.kernels) or "none that can be read"
        named = "kernel.entry or kernel.launches" if header.kernel.entries else "the plan"
        detail = (
            f"{named} launches {missing[0]!r}; the last block with kernels defines: {names}. Define every kernel that is "
            "launched in that one block, or name the ones it has in kernel.entry or kernel.launches."
        )
        return BadReply(BadKind.ENTRY_NOT_FOUND, detail)
    host = host_code(code.lexed, code.source)
    if host is not None:
        detail = f"{host}. A candidate is device code only; the launch is described by the header's kernel table."
        return BadReply(BadKind.POLICY, detail)
    kernels = code.kernels or tuple(plain_name(entry) for entry in wanted)
    return ParsedReply(header, code.block.body, kernels)


def _header(text: ReplyText, code: CodeBlock) -> Header | BadReply:
    """The nearest JSON block before the source; if there is none, the one after it, or one that stands in the prose."""
    before = [b for b in text.blocks[: code.position] if is_json(b)]
    after = [b for b in text.blocks[code.position + 1 :] if is_json(b)]
    if len(after) > (0 if before else 1):
        return BadReply(BadKind.HEADER, "more than one JSON block could be the header; send one, before the source.")
    chosen = before[-1:] or after
    if chosen:
        return read_header(chosen[0].body)
    bare = _bare_object(text.prose)
    if bare is not None:
        return read_header(bare)
    return BadReply(BadKind.HEADER, f"there is no JSON header{_wrong_language(text.blocks)}. {_WHOLE}")


def _bare_object(prose: str) -> str | None:
    """The JSON object that begins a line of the prose; up to its end, or up to the end of the prose where it is broken."""
    at = 0 if prose.startswith("{") else prose.find("\n{") + 1
    if not prose.startswith("{", at):
        return None
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(prose, at)
    except (ValueError, RecursionError):
        return prose[at:]
    return prose[at:end] if "\n{" not in prose[end:] else prose[at:]


def _wrong_language(blocks: Sequence[Block]) -> str:
    other = sorted({b.language for b in blocks if not is_code(b) and not is_json(b)})
    return f" (found blocks in {', '.join(other)})" if other else ""


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= _QUOTED_CHARS else flat[: _QUOTED_CHARS - 3] + "...")
