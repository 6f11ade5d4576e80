"""What the commands of `warpwright docs` share: the folder, the installed products, JSON forms."""

import shutil
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from warpwright.cli.environment import environment
from warpwright.cli.output import say
from warpwright.compiler.toolchain import find_nvrtc
from warpwright.errors import ToolchainUnavailable
from warpwright.knowledge.citation import Citation
from warpwright.knowledge.documents.discover import discover
from warpwright.knowledge.documents.evaluation import Evaluation, Score
from warpwright.knowledge.documents.index.build import Built
from warpwright.knowledge.documents.index.source import Source
from warpwright.knowledge.documents.library import INDEX, Library
from warpwright.knowledge.documents.shelf import Shelf
from warpwright.knowledge.documents.status import BookStatus, Status
from warpwright.knowledge.documents.sync.report import SyncReport
from warpwright.profiler.nsight_compute.locate import Ncu, find_ncu

_PROGRAMS = ("ncu", "compute-sanitizer")


def shelf() -> Shelf:
    """The folder of documents that the environment names."""
    return Shelf(environment().documents)


def look_around(place: Shelf) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
    """Documents that installations left on this disk, remembered: (all, the new ones)."""
    programs = [Path(found) for name in _PROGRAMS if (found := shutil.which(name))]
    ncu = find_ncu()
    if isinstance(ncu, Ncu):
        programs.append(ncu.path)
    packages = [Path(sysconfig.get_path("purelib"))]
    sources = discover(Path(Path.cwd().anchor), programs, packages)
    return sources, place.remember(sources)


def open_library(place: Shelf) -> Library:
    """The index; on first use the documents of this disk are looked for and indexed, which takes a second at most."""
    if not (place.folder / INDEX).exists():
        found, _ = look_around(place)
        if found or place.sources():
            tell_built(place.update())
    return place.library()


def tell_built(built: Built) -> None:
    """One line on a build, one on each file that could not be read."""
    for path, reason in built.failed:
        say(f"not indexed: {path}: {reason}")
    say(
        f"{built.pages} pages, {built.sections} sections in the index; {built.parsed} new or changed, {built.removed} removed "
        f"({built.seconds:.1f} s)"
    )


def installed_versions() -> list[tuple[str, str]]:
    """(product, version) of what is installed here, to hold against the versions of the documents."""
    found = []
    with suppress(ToolchainUnavailable):
        found.append(("cuda", ".".join(str(part) for part in find_nvrtc(environment().nvrtc).version)))
    ncu = find_ncu()
    if isinstance(ncu, Ncu):
        found.append(("nsight-compute", ncu.version))
    return found


def status_warnings(status: Status) -> list[str]:
    """What the reader of a citation should know of the index."""
    warnings = [f"{text}: sections and numbers may differ" for text in status.mismatches(installed_versions())]
    if status.stale:
        warnings.append(
            f"fetched more than 30 days ago: {', '.join(status.stale)}; `warpwright docs sync` asks for newer ones"
        )
    gone = [book.key for book in status.books if book.gone]
    if gone:
        warnings.append(f"no longer on their host, copies kept: {', '.join(gone)}")
    return warnings


def books_table(books: Sequence[BookStatus]) -> Table:
    """One row a known document, one for all other pages of a source."""
    table = Table(box=SIMPLE_HEAD)
    for heading in ("id", "document", "version", "from", "sections", "age"):
        table.add_column(heading, justify="right" if heading in ("sections", "age") else "left")
    for book in (book for book in books if "/" not in book.key):
        age = "" if book.oldest_days is None else f"{book.oldest_days:.0f} d"
        table.add_row(book.key, book.title, book.version or "unknown", book.source, str(book.sections), age)
    others = [book for book in books if "/" in book.key]
    for source in dict.fromkeys(book.source for book in others):
        rows = [book for book in others if book.source == source]
        table.add_row("", f"{len(rows)} other pages", "", source, str(sum(book.sections for book in rows)), "")
    return table


def evaluation_table(evaluation: Evaluation) -> Table:
    """One row a book, then the tuned-on and the hold-out questions, then all."""
    table = Table(box=SIMPLE_HEAD)
    for heading in ("book", "questions", "hit@1", "hit@3", "hit@5", "MRR"):
        table.add_column(heading, justify="left" if heading == "book" else "right")
    for score in (*evaluation.groups, evaluation.total):
        if score is not None:
            figures = (f"{figure:.2f}" for figure in (score.hit_1, score.hit_3, score.hit_5, score.mrr))
            table.add_row(score.name, str(score.questions), *figures)
    return table


def citation_to_json(citation: Citation) -> dict[str, Any]:
    """With the text that reports print."""
    return {**asdict(citation), "text": citation.text}


def source_to_json(source: Source) -> dict[str, Any]:
    """Of a source; its root as text."""
    return {**asdict(source), "kind": str(source.kind), "root": str(source.root)}


def built_to_json(built: Built) -> dict[str, Any]:
    """Of a build; failed files as objects."""
    return {**asdict(built), "failed": [{"path": path, "reason": reason} for path, reason in built.failed]}


def status_to_json(status: Status, sources: tuple[Source, ...]) -> dict[str, Any]:
    """Of the index, with its warnings."""
    return {
        "rung": status.rung,
        "problem": status.problem,
        "index": str(status.path),
        "bytes": status.bytes,
        "built_at": status.built_at,
        "books": [asdict(book) for book in status.books],
        "sources": [source_to_json(source) for source in sources],
        "warnings": status_warnings(status),
    }


def evaluation_to_json(evaluation: Evaluation, versions: Mapping[str, str | None]) -> dict[str, Any]:
    """Figures and ids only: no text of any document. versions: of the indexed books, by key."""

    def row(score: Score | None) -> dict[str, Any] | None:
        return None if score is None else {key: _rounded(value) for key, value in asdict(score).items()}

    return {
        "versions": dict(versions),
        "total": row(evaluation.total),
        "groups": [row(score) for score in evaluation.groups],
        "ranks": {str(answer.question.id): answer.rank for answer in evaluation.answers},
        "missing": {question.book: _missing(evaluation, question.book) for question in evaluation.missing},
        "out_of_scope": evaluation.out_of_scope,
        "false_finds": [{"text": text, "ids": list(ids)} for text, ids in evaluation.false_finds],
    }


def _missing(evaluation: Evaluation, book: str) -> list[int]:
    return [question.id for question in evaluation.missing if question.book == book]


def _rounded(value: object) -> object:
    return round(value, 4) if isinstance(value, float) else value


def sync_summary(report: SyncReport) -> str:
    """What a sync left on the disk, and whether another one may bring more."""
    kept = f"; older copies of {report.kept} serve on" if report.kept else ""
    again = "; run it again for the rest" if report.incomplete else ""
    return f"{report.on_disk} of {len(report.results)} pages are here and current{kept}{again}"
