"""`warpwright docs`: find, fetch, search and read documentation on this disk."""

from pathlib import Path
from typing import Annotated

import typer

from warpwright.cli.options import JsonOption

QueryArgument = Annotated[list[str], typer.Argument(metavar="QUERY...", help="One to three wordings of one question.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def discover(json: JsonOption = False) -> int:
    """Find the documents that Nsight Compute, the CUDA toolkit and wheels left on this disk, and index them."""
    from warpwright.cli.documents import built_to_json, look_around, shelf, source_to_json, tell_built
    from warpwright.cli.output import print_json, results, say

    place = shelf()
    found, new = look_around(place)
    built = place.update()
    if json:
        rows = [{**source_to_json(source), "new": source in new} for source in found]
        print_json({"found": rows, "built": built_to_json(built)})
        return 0
    for source in found:
        mark = "new" if source in new else "known"
        results().print(f"{mark}: {source.name} {source.root}", markup=False, soft_wrap=True)
    if not found:
        say("no documents of Nsight Compute or compute-sanitizer found; `docs add FOLDER` and `docs sync` bring others")
    tell_built(built)
    return 0


def add(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Folder or file: HTML, Markdown, text, PDF.")],
    name: Annotated[str | None, typer.Option("--name", help="Short name; the file's or folder's if not given.")] = None,
    product: Annotated[
        str | None, typer.Option("--product", help="What it documents: cuda, nsight-compute, ...")
    ] = None,
    version: Annotated[str | None, typer.Option("--version", help="Version of what it documents.")] = None,
    json: JsonOption = False,
) -> int:
    """Index a folder or file of yours; its books take precedence over copies from elsewhere."""
    from warpwright.cli.documents import built_to_json, shelf, source_to_json, tell_built
    from warpwright.cli.output import print_json, results

    place = shelf()
    source = place.add(path, name, product, version)
    built = place.update()
    if json:
        print_json({"source": source_to_json(source), "built": built_to_json(built)})
    else:
        results().print(f"added: {source.name} {source.root}", markup=False, soft_wrap=True)
        tell_built(built)
    return 0


def search(
    queries: QueryArgument,
    arch: Annotated[
        str | None, typer.Option("--arch", help="Leave out sections about other architectures: sm_90, 9.0.")
    ] = None,
    product: Annotated[str | None, typer.Option("--product", help="Only cuda, nsight-compute, ...")] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=50, help="Sections to print.")] = 6,
    json: JsonOption = False,
) -> int:
    """Print the sections that answer a question best, with their citations."""
    from warpwright.cli.documents import citation_to_json, open_library, shelf
    from warpwright.cli.output import print_json, results, say
    from warpwright.knowledge.documents.index.architectures import asked_architecture, nearest

    number = None if arch is None else asked_architecture(arch)
    if number is not None and nearest(number) is None:
        say(f"--arch {arch}: older than every architecture that documents are marked with, so nothing is left out")
    with open_library(shelf()) as library:
        found = library.search(queries, number, product, k)
        problem = library.problem
    if json:
        rows = [
            {"citation": citation_to_json(f.citation), "snippet": f.snippet, "score": f.score, "age_days": f.age_days}
            for f in found
        ]
        print_json({"queries": list(queries), "found": rows, "problem": problem})
        return 0
    if problem:
        say(problem)
    elif not found:
        say("nothing relevant is indexed")
    for item in found:
        lines = (
            item.citation.text,
            f"  id: {item.id}",
            f"  {item.citation.url or item.citation.path}",
            f"  {item.snippet}\n",
        )
        results().print("\n".join(lines), markup=False, soft_wrap=True)
    return 0


def read(
    section: Annotated[str, typer.Argument(metavar="ID", help="As `docs search` prints it: nc#clock-control.")],
    offset: Annotated[int, typer.Option("--offset", min=0, help="Characters to skip.")] = 0,
    max_chars: Annotated[int, typer.Option("--max-chars", min=1, help="Most characters to print.")] = 6000,
    json: JsonOption = False,
) -> int:
    """Print a section, and the ids of those around it."""
    from dataclasses import asdict

    from warpwright.cli.documents import citation_to_json, open_library, shelf
    from warpwright.cli.output import print_json, results, say

    with open_library(shelf()) as library:
        found = library.read(section, offset, max_chars)
    if json:
        print_json({**asdict(found), "citation": citation_to_json(found.citation)})
        return 0
    citation = found.citation
    results().print(f"{citation.text}\n{citation.url or citation.path}\n\n{found.text}", markup=False, soft_wrap=True)
    shown = found.offset + len(found.text)
    if shown < found.total:
        say(f"{shown} of {found.total} characters; --offset {shown} goes on")
    for word, identity in (("previous", found.previous), ("next", found.next), ("above", found.parent)):
        if identity:
            say(f"{word}: {identity}")
    return 0


def metric(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As Nsight Compute spells it.")], json: JsonOption = False
) -> int:
    """Say what a profiler metric means, if a list of metrics or an indexed table knows it; exit code 2 if not."""
    from dataclasses import asdict

    from warpwright.cli.documents import open_library, shelf
    from warpwright.cli.output import print_json, results, say
    from warpwright.errors import UsageError

    with open_library(shelf()) as library:
        found = library.lookup_metric(name)
        lists = library.folder / "metrics"
    if json:
        print_json({"name": name, "metric": asdict(found) if found else None})
    elif found:
        unit = found.unit or "unit unknown"
        results().print(f"{found.name} ({unit}): {found.description or 'no description'}", markup=False, soft_wrap=True)
        say(f"from {found.origin}" + (f"; on {', '.join(found.chips)}" if found.chips else ""))
    else:
        say(
            f"{name}: unknown. Put what `ncu --query-metrics --chips gh100` prints into {lists}/gh100.txt, and ask again."
        )
    return 0 if found else UsageError.exit_code


def status(json: JsonOption = False) -> int:
    """Say what is indexed, from where, how old it is, and what does not fit this machine."""
    from warpwright.cli.documents import books_table, shelf, status_to_json, status_warnings
    from warpwright.cli.output import print_json, results, say

    place = shelf()
    with place.library() as library:
        found = library.status()
    if json:
        print_json(status_to_json(found, place.sources()))
        return 0
    say(f"best source at hand: {found.rung}\nindex: {found.path} ({found.bytes / 2**20:.1f} MiB)")
    if found.problem:
        say(found.problem)
    else:
        results().print(books_table(found.books))
    for source in place.sources():
        results().print(f"{source.name} {source.version or ''} {source.root}", markup=False, soft_wrap=True)
    for warning in status_warnings(found):
        say(f"warning: {warning}")
    return 0
