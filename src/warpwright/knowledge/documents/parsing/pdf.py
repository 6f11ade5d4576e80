"""PDF to sections, through pypdf (optional extra `pdf`)."""

import io
import logging

from warpwright.errors import InputError, UnavailableError
from warpwright.knowledge.documents.parsing.document import Block, BlockKind, ParsedPage, ParsedSection, squeeze

_logger = logging.getLogger(__name__)


def parse_pdf(content: bytes, name: str) -> ParsedPage:
    """One section a page; its anchor `page=N` is what browsers understand after `#`.

    Raises: UnavailableError without pypdf, InputError for a file that pypdf cannot read.
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise UnavailableError(
            f"{name}: reading PDF needs pypdf. Run `pip install 'warpwright[pdf]'`, or add the HTML form."
        ) from error
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every oddity of a file that it can read
    try:
        reader = PdfReader(io.BytesIO(content))
        title = squeeze(str(reader.metadata.title or "")) if reader.metadata else ""
        texts = [page.extract_text() or "" for page in reader.pages]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{name}: not a PDF that can be read ({error}). Give an undamaged, unencrypted file."
        ) from error
    sections = [_section(number, text) for number, text in enumerate(texts, 1) if text.strip()]
    if not sections:
        raise InputError(f"{name}: no text in any of its {len(texts)} pages; scanned pages cannot be indexed.")
    return ParsedPage(title, tuple(sections))


def _section(number: int, text: str) -> ParsedSection:
    blocks = [Block(BlockKind.PROSE, squeeze(part)) for part in text.split("\n\n") if part.strip()]
    return ParsedSection(f"page={number}", 1, "", f"Page {number}", [], blocks)
