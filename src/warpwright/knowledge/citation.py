"""Where a statement comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Citation:
    """A section of a document. id: `bpg#coalesced-access-to-global-memory` (book key, anchor) or `FG-09`.

    version: of the document, None unknown. url: with anchor; None for what lies on this disk only. path: the file on this
    disk, with ` p.N` for PDF; None where the document is not here.
    """

    id: str
    document: str
    section: str
    version: str | None = None
    url: str | None = None
    path: str | None = None

    @property
    def text(self) -> str:
        """`CUDA C++ Best Practices Guide 13.0 > Coalesced Access to Global Memory`."""
        title = self.document if self.version is None else f"{self.document} {self.version}"
        return f"{title} > {self.section}"


@dataclass(frozen=True, slots=True)
class Reference:
    """A section of an NVIDIA document: key of the book (`bpg`), the section's title, its anchor."""

    book: str
    section: str
    anchor: str

    @property
    def id(self) -> str:
        """As citations name it."""
        return f"{self.book}#{self.anchor}"
