"""The look-ups that a model is offered. A new one is one file and one line here."""

from collections.abc import Iterator, Sequence

from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.code_excerpt import code_excerpt
from warpwright.proposer.model.tools.compile_check import compile_check
from warpwright.proposer.model.tools.counters import counters
from warpwright.proposer.model.tools.device_properties import device_properties
from warpwright.proposer.model.tools.guidance_for import guidance_for
from warpwright.proposer.model.tools.lookup_metric import lookup_metric
from warpwright.proposer.model.tools.occupancy import occupancy
from warpwright.proposer.model.tools.read_section import read_section
from warpwright.proposer.model.tools.search_docs import search_docs
from warpwright.proposer.model.tools.source import source
from warpwright.proposer.model.tools.tool import Tool

FROM_RECORD = (device_properties, guidance_for, lookup_metric, counters, source, code_excerpt, occupancy)
"""Tools that need nothing but the record and the field guide."""
FROM_DOCUMENTS = (search_docs, read_section)
"""Tools that need an index over documents."""


def tools_for(aids: Aids) -> Sequence[Tool]:
    """What can be offered here: documents only where some are indexed, compile checks only where one can be made."""
    return tuple(_tools(aids))


def _tools(aids: Aids) -> Iterator[Tool]:
    yield from (make(aids) for make in FROM_RECORD)
    if aids.library is not None and aids.library.problem is None:
        for open_documents in FROM_DOCUMENTS:
            yield open_documents(aids, aids.library)
    if aids.compile_check is not None:
        yield compile_check(aids, aids.compile_check)
