"""Hit rates over real documents on this disk, as figures that may be committed: ids and versions, none of the text.

`python -m benchmarks.retrieval.real FOLDER --note "where the documents came from" --output results/real.json`, where FOLDER is
the folder that WARPWRIGHT_DOCS names (see `warpwright docs status`).
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.retrieval.speed import query_times

from warpwright.cli.documents import evaluation_to_json
from warpwright.knowledge.documents.evaluation import evaluate, read_questions
from warpwright.knowledge.documents.shelf import Shelf


def main() -> int:
    """Print and write the figures; 1 if hit@3 is under 0.80."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--note", required=True)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    questions = read_questions()
    named = {question.book for question in questions.questions}
    with Shelf(options.folder).library() as library:
        found = evaluate(library, questions)
        status = library.status()
    versions = {book.key: book.version for book in status.books if book.key in named}
    figures = {
        "date": datetime.now(UTC).date().isoformat(),
        "documents": options.note,
        "sections": sum(book.sections for book in status.books),
        **evaluation_to_json(found, versions),
        "query_ms": query_times(options.folder),
    }
    text = json.dumps(figures, indent=1)
    print(text)
    if options.output:
        options.output.write_text(text + "\n", encoding="utf-8")
    return 0 if found.total is not None and found.total.hit_3 >= 0.8 else 1


if __name__ == "__main__":
    sys.exit(main())
