"""Which block of a reply is the source, and which kernels it defines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from warpwright.candidate.source import SourceFile, parse_source
from warpwright.proposer.model.reply.blocks import Block
from warpwright.proposer.model.reply.lexical import Lexed, lexed

_JSON = frozenset({"json", "jsonc", "json5"})
_NO_LANGUAGE = frozenset({"", "text", "txt", "plaintext"})
_CODE = frozenset({"cuda", "cu", "cuh", "cpp", "c++", "cxx", "cc", "c", "h", "hpp", "nvcc"}) | _NO_LANGUAGE
_IN_PROSE = re.compile(
    r"^[ \t]*(?:extern[ \t]+\"C\"|(?:__global__|__device__)[ \t][^\n]*[({]|template[ \t]*<"
    r"|#(?:include|define|ifdef|ifndef|if|endif|pragma)\b)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class CodeBlock:
    """A block that may be the source."""

    block: Block
    position: int
    """Among the blocks of the reply."""

    @cached_property
    def lexed(self) -> Lexed:
        """Its comments and literals told from its code."""
        return lexed(self.block.body)

    @cached_property
    def source(self) -> SourceFile:
        """Its syntax."""
        return parse_source(self.block.body)

    @cached_property
    def kernels(self) -> tuple[str, ...]:
        """Kernels that it defines, in order."""
        return tuple(dict.fromkeys(kernel.name for kernel in self.source.kernels))

    def defines(self, entry: str) -> bool:
        """True for a kernel of that name, template arguments and namespaces left out; also for one that a macro makes."""
        name = plain_name(entry)
        if name in self.kernels:
            return True
        code = self.lexed.code
        made = re.search(rf"(?<!\w){re.escape(name)}\s*\)?\s*\([^;{{}}]{{0,2000}}\)[^;{{}}()]{{0,200}}\{{", code)
        return made is not None and "__global__" in code


def plain_name(entry: str) -> str:
    """`softmax` for `rows::softmax<float, 4>`."""
    return entry.split("<", 1)[0].strip().rsplit("::", 1)[-1]


def is_json(block: Block) -> bool:
    """True for a block that is or looks like a JSON object."""
    return block.language in _JSON or (block.language in _NO_LANGUAGE and block.body.lstrip().startswith("{"))


def is_code(block: Block) -> bool:
    """True for a block in a language that CUDA source is labelled with."""
    return block.language in _CODE and not is_json(block)


def code_blocks(blocks: Sequence[Block]) -> list[CodeBlock]:
    """The blocks that may be the source."""
    return [CodeBlock(block, position) for position, block in enumerate(blocks) if is_code(block)]


def code_in_prose(prose: str) -> str | None:
    """The first line outside of blocks that is CUDA source, None if there is none."""
    found = _IN_PROSE.search(prose)
    if found is None:
        return None
    return prose[found.start() :].split("\n", 1)[0].strip()
