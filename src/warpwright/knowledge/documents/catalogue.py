"""A list of what is indexed that may be passed on: ids, titles and addresses, none of the text."""

import json
from pathlib import Path
from typing import Any

from warpwright.errors import InputError
from warpwright.knowledge.documents.library import Library


def catalogue(library: Library) -> list[dict[str, Any]]:
    """One row a section. Local paths are left out: they say nothing elsewhere."""
    return [
        {
            "id": place.citation.id,
            "document": place.citation.document,
            "version": place.citation.version,
            "section": place.citation.section,
            "url": place.citation.url,
            "characters": characters,
        }
        for place, characters in library.places()
    ]


def write_catalogue(library: Library, path: Path) -> int:
    """Number of sections written. Raises: InputError if there is no index or the file cannot be written."""
    if library.problem:
        raise InputError(f"nothing to write: {library.problem}.")
    rows = catalogue(library)
    try:
        path.write_text(json.dumps({"sections": rows}, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}. Give a file that can be written.") from error
    return len(rows)
