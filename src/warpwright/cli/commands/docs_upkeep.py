"""`warpwright docs sync`, `eval`, `export`, `purge`: what changes or measures the documents."""

from pathlib import Path
from typing import Annotated

import typer

from warpwright.cli.options import JsonOption

YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
OnlyOption = Annotated[str | None, typer.Option("--only", metavar="A,B", help="Ids of books: bpg,pg,ptx,nc.")]


def sync(
    cuda: Annotated[
        str | None, typer.Option("--cuda", metavar="V", help="CUDA release (13.0.0), else the newest.")
    ] = None,
    only: OnlyOption = None,
    max_age: Annotated[str, typer.Option("--max-age", help="Pages younger than this are not asked for.")] = "30d",
    yes: YesOption = False,
    manifest: Annotated[
        Path | None,
        typer.Option("--manifest", help="List of pages of a mirror of yours."),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Fetch NVIDIA's guides from their public host, at most two at a time, and index them; can be stopped and run again."""
    from dataclasses import asdict

    from warpwright import __version__
    from warpwright.cli.documents import built_to_json, shelf, sync_summary, tell_built
    from warpwright.cli.output import print_json, say
    from warpwright.errors import UnavailableError
    from warpwright.knowledge.documents.sync.manifest import read_manifest
    from warpwright.knowledge.documents.sync.report import PageResult, PageState, SyncOptions
    from warpwright.knowledge.documents.sync.sync import NOTICE
    from warpwright.knowledge.documents.sync.sync import sync as fetch

    options = SyncOptions(tuple(only.split(",")) if only else (), cuda, _seconds("--max-age", max_age))
    place, pages = shelf(), read_manifest(manifest)
    wanted = len(pages.selected(options.only, cuda))
    say(NOTICE)
    if not yes:
        _confirm(f"Fetch up to {wanted} pages from {pages.host} into {place.pages.folder}?")

    def said(result: PageResult) -> None:
        say(f"{result.state}: {result.title}" + (f" ({result.reason}) {result.url}" if result.reason else ""))

    report = fetch(place.pages, pages, f"warpwright/{__version__}", options, said)
    built = place.update()
    if json:
        counts = {str(state): report.count(state) for state in PageState}
        rows = [asdict(result) for result in report.results]
        print_json({"host": pages.host, "counts": counts, "pages": rows, "built": built_to_json(built)})
    else:
        tell_built(built)
        say(sync_summary(report))
    return UnavailableError.exit_code if report.incomplete or not report.on_disk else 0


def evaluate(
    questions: Annotated[
        Path | None,
        typer.Argument(
            metavar="QUESTIONS",
            help="File of questions with the sections that answer them.",
            show_default="30 that come with Warpwright",
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Ask questions whose answers are known; print hit@1, hit@3, hit@5 and MRR per book."""
    from warpwright.cli.documents import evaluation_table, evaluation_to_json, open_library, shelf
    from warpwright.cli.output import print_json, results, say
    from warpwright.knowledge.documents.evaluation import evaluate as ask
    from warpwright.knowledge.documents.evaluation import read_questions

    asked = read_questions(questions)
    with open_library(shelf()) as library:
        found = ask(library, asked)
        versions = {book.key: book.version for book in library.status().books}
    if json:
        named = {question.book for question in asked.questions}
        print_json(evaluation_to_json(found, {key: version for key, version in versions.items() if key in named}))
        return 0
    results().print(evaluation_table(found))
    if found.missing:
        books = sorted({question.book for question in found.missing})
        say(f"not scored, their book is not indexed: {len(found.missing)} questions on {', '.join(books)}")
    say(f"out of scope: something was found for {len(found.false_finds)} of {found.out_of_scope} questions")
    return 0


def export(
    output: Annotated[Path, typer.Argument(metavar="FILE", help="JSON file to write.")], json: JsonOption = False
) -> int:
    """Write a list of every indexed section (id, titles, address; none of the text), which may be passed on."""
    from warpwright.cli.documents import open_library, shelf
    from warpwright.cli.output import print_json, say
    from warpwright.knowledge.documents.catalogue import write_catalogue

    with open_library(shelf()) as library:
        count = write_catalogue(library, output)
    if json:
        print_json({"file": str(output), "sections": count})
    else:
        say(f"{count} sections in {output}")
    return 0


def purge(
    everything: Annotated[bool, typer.Option("--all", help="Also forget the folders that were added.")] = False,
    yes: YesOption = False,
    json: JsonOption = False,
) -> int:
    """Delete the index and the fetched pages; files in folders of yours are never touched."""
    from warpwright.cli.documents import shelf
    from warpwright.cli.output import print_json, say

    place = shelf()
    if not yes:
        _confirm(f"Delete the index and the fetched pages in {place.folder}?")
    freed = place.purge(web=True, sources=everything)
    if json:
        print_json({"folder": str(place.folder), "bytes": freed})
    else:
        say(f"{freed / 2**20:.1f} MiB freed in {place.folder}")
    return 0


def _seconds(option: str, text: str) -> float:
    from warpwright.cli.durations import parse_age

    return parse_age(option, text)


def _confirm(question: str) -> None:
    """Raises: UsageError where there is nobody to ask or the answer is no; Interrupted on Ctrl-C and at the end of input."""
    import sys

    from warpwright.cli.output import confirmed
    from warpwright.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError(f"{question} Nobody can be asked here: say --yes.")
    if not confirmed(question):
        raise UsageError("nothing was done.")
