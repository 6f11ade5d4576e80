"""Searches the documents of this machine."""

from typing import Annotated

from pydantic import Field

from warpwright.knowledge.documents.library import Found, Library
from warpwright.proposer.model.prompt.parts.advice import source
from warpwright.proposer.model.prompt.quoting import one_line, quoted
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool, room, with_citations

_SECTIONS = 6
_SNIPPET = 500


class _Search(Arguments):
    query: Annotated[str, Field(description="What you want to know, in a few words.", max_length=300)]
    other_wording: Annotated[str, Field(description="The same in other words; may be left out.", max_length=300)] = ""


def search_docs(aids: Aids, library: Library) -> Tool:
    """Sections by relevance, each with its id and a snippet."""

    def answer(asked: _Search) -> str:
        wordings = [text for text in (asked.query, asked.other_wording) if text.strip()]
        found = library.search(wordings or [asked.query], aids.state.gpu.arch, k=_SECTIONS)
        if not found:
            return "Nothing relevant is indexed. Try other words."
        aids.returned.update(section.id for section in found)
        ids = [section.id for section in found]
        return with_citations(
            ids, quoted("sections of documents", "\n".join(map(_section, found)), room() - len(str(ids)))
        )

    return Tool(
        "search_docs",
        "Search the indexed NVIDIA documentation and the user's documents. Returns ids, titles and snippets; read_section "
        "gives the whole text of an id.",
        _Search,
        answer,
    )


def _section(found: Found) -> str:
    return f"{source(found.citation)}\n  {one_line(found.snippet, _SNIPPET)}"
