"""Reads a section of a document."""

from typing import Annotated

from pydantic import Field

from warpwright.knowledge.documents.library import Library
from warpwright.proposer.model.prompt.parts.advice import source
from warpwright.proposer.model.prompt.quoting import one_line, quoted
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool, room, with_citations


class _Read(Arguments):
    id: Annotated[str, Field(description="Id of the section, such as bpg#shared-memory.", max_length=300)]
    offset: Annotated[int, Field(description="Character to begin at.", ge=0)] = 0


def read_section(aids: Aids, library: Library) -> Tool:
    """The text of a section from a character on, and where to read on."""

    def answer(asked: _Read) -> str:
        heading_room = 400
        section = library.read(asked.id, asked.offset, room() - heading_room)
        aids.returned.add(section.citation.id)
        end = section.offset + len(section.text)
        rest = f"Read on with offset {end} of {section.total}." if end < section.total else "That is its end."
        around = ", ".join(
            f"{what} {one_line(other, 80)}"
            for what, other in (("previous", section.previous), ("next", section.next), ("parent", section.parent))
            if other is not None
        )
        text = [source(section.citation), quoted("text of a document", section.text, room()), rest, around]
        return with_citations([section.citation.id], "\n".join(filter(None, text)))

    return Tool("read_section", "Read a section of the documentation by its id.", _Read, answer)
