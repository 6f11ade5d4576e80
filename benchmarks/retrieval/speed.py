"""Time and memory of indexing 50 MB of generated HTML, and of queries over it: `python -m benchmarks.retrieval.speed`.

The corpus is made anew from a seed: words drawn with the frequencies of natural text (Zipf), headings, listings, tables.
"""

import argparse
import json
import platform
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from warpwright.knowledge.documents.evaluation import read_questions
from warpwright.knowledge.documents.library import INDEX
from warpwright.knowledge.documents.shelf import Shelf

HERE = Path(__file__).parent
SUBJECT = (
    "kernel warp block grid thread memory shared global local cache bank conflict register occupancy latency bandwidth stall "
    "scoreboard sector request wavefront tile barrier pipeline copy tensor launch stream graph cluster metric replay clock"
)
PAGE_BYTES = 400_000


def vocabulary(source: random.Random, size: int = 30_000) -> tuple[list[str], list[float]]:
    """Words of the subject and made-up ones, with their weights summed up to each."""
    made = {"".join(source.choices(ascii_lowercase, k=source.randint(3, 12))) for _ in range(size)}
    words = sorted({*SUBJECT.split(), *made})
    source.shuffle(words)
    return words, list(accumulate(1 / (rank + 10) for rank in range(len(words))))


def page(source: random.Random, words: list[str], weights: list[float]) -> str:
    """One page of about PAGE_BYTES."""

    def text(count: int) -> str:
        return " ".join(source.choices(words, cum_weights=weights, k=count))

    parts, size, number = [], 0, 0
    while size < PAGE_BYTES:
        number += 1
        rows = "".join(
            f"<tr><td><code>unit__{text(1)}_{text(1)}</code></td><td><p>{text(25)}</p></td></tr>" for _ in range(12)
        )
        spans = "".join(f'<span class="n">{word}</span><span class="p">;</span>\n' for word in text(30).split())
        part = (
            f'<section id="s{number}"><h2><span class="section-number">{number}. </span>{text(4)}'
            f'<a class="headerlink" href="#s{number}">¶</a></h2>'
            + "".join(
                f'<p>{text(60)} <code class="docutils literal"><span class="pre">{text(1)}</span></code></p>'
                for _ in range(6)
            )
            + f"<div class='highlight'><pre>{spans}</pre></div><table><tbody>{rows}</tbody></table></section>\n"
        )
        parts.append(part)
        size += len(part)
    article = f"<article><h1>{text(3)}</h1>{''.join(parts)}</article>"
    return f"<html><head><title>{text(3)}</title></head><body><nav>{text(500)}</nav>{article}</body></html>"


def write_corpus(folder: Path, megabytes: int, seed: int) -> int:
    """Pages until there are that many megabytes (10**6); bytes written."""
    source = random.Random(seed)
    words, weights = vocabulary(source)
    folder.mkdir(parents=True)
    size = number = 0
    while size < megabytes * 10**6:
        number += 1
        content = page(source, words, weights).encode()
        (folder / f"page{number:03}.html").write_bytes(content)
        size += len(content)
    return size


def measured_build(shelf: Path) -> dict[str, Any]:
    """Build in a process of its own, whose highest memory use is taken."""
    command = [sys.executable, "-m", "benchmarks.retrieval.speed", "--build", str(shelf)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE.parents[1])
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def build_here(shelf: Path) -> int:
    """Child process: build, then say what it took."""
    built = Shelf(shelf).update()
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = {
        "seconds": round(built.seconds, 2),
        "peak_mib": round(peak_kib / 1024, 1),
        "sections": built.sections,
        "chunks": built.chunks,
        "parsed": built.parsed,
    }
    print(json.dumps(figures))
    return 0


def query_times(shelf: Path, repeats: int = 5) -> dict[str, float]:
    """Milliseconds of a search for each of the known questions."""
    questions = read_questions().questions
    times = []
    with Shelf(shelf).library() as library:
        library.search(questions[0].text)
        for _ in range(repeats):
            for question in questions:
                start = time.perf_counter()
                library.search(question.text)
                times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    return {
        "median": round(statistics.median(times), 2),
        "p95": round(times[int(len(times) * 0.95)], 2),
        "highest": round(times[-1], 2),
        "queries": len(times),
    }


def main() -> int:
    """Print the figures; --output also writes them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.build:
        return build_here(options.build)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        size = write_corpus(folder / "corpus", options.megabytes, options.seed)
        Shelf(folder / "shelf").add(folder / "corpus")
        first = measured_build(folder / "shelf")
        again = measured_build(folder / "shelf")
        figures = {
            "date": datetime.now(UTC).date().isoformat(),
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "seed": options.seed,
            "html_bytes": size,
            "build": first,
            "unchanged": again,
            "index_bytes": (folder / "shelf" / INDEX).stat().st_size,
            "query_ms": query_times(folder / "shelf"),
        }
    text = json.dumps(figures, indent=1)
    print(text)
    if options.output:
        options.output.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
