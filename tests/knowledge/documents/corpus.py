"""Writes the synthetic corpus in the shapes that real documents have."""

import html
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from warpwright.knowledge.documents.parsing.document import slug

_DATA = Path(__file__).parent / "corpus.toml"


def write_corpus(folder: Path) -> Path:
    """The corpus below a folder, laid out like the public host. Returns the folder."""
    for book in tomllib.loads(_DATA.read_text(encoding="utf-8")).values():
        for name, page in _pages(book):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(markdown_page(page) if name.endswith(".md") else html_page(page), encoding="utf-8")
    return folder


def html_page(page: Mapping[str, Any], *, navigation: str = "Navigation word", version: str = "13.0") -> str:
    """One page: navigation that must not be indexed, then the sections in the page's shape."""
    shape = page.get("shape", "section")
    body = [_section(each, each.get("shape", shape), number) for number, each in enumerate(page["sections"], 1)]
    title, lead = html.escape(page["title"]), html.escape(page.get("text", ""))
    head = f'<section id="{slug(page["title"])}"><h1>{title}<a class="headerlink" href="#x">¶</a></h1><p>{lead}</p></section>'
    if shape == "heading":
        head = ""
    return (
        f"<!DOCTYPE html><html><head><title>1. {title} &mdash; Product {version} documentation</title>"
        f"<script>var hidden = 'script word';</script></head><body><nav><ul><li>{navigation}</li></ul></nav>"
        f'<div itemprop="articleBody">{head}{"".join(body)}</div><footer>footer word</footer></body></html>'
    )


def markdown_page(page: Mapping[str, Any]) -> str:
    """The Markdown twin of a page."""
    lines = [f"# {page['title']}", "", page.get("text", "")]
    for number, section in enumerate(page["sections"], 1):
        lines += ["", f"{'#' * section['level']} 1.{number}. {section['title']}", "", section["text"]]
        lines += [f"| {' | '.join(row)} |" for row in section.get("table", ())]
    return "\n".join(lines) + "\n"


def _pages(book: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    if "pages" in book:
        return ((f"cuda/cuda-programming-guide/{name}", page) for name, page in book["pages"].items())
    return ((book["root"], book),)


def _section(section: Mapping[str, Any], shape: str, number: int) -> str:
    anchor, title, level = slug(section["title"]), html.escape(section["title"]), section["level"]
    label = f'<span class="section-number">2.{number}. </span>{title}'
    link = f'<a class="headerlink" href="#{anchor}" title="Permalink">¶</a>'
    content = _content(section)
    if shape == "heading":
        return f'<h{level} id="{anchor}">{label}{link}</h{level}>{content}'
    if shape == "div":
        heading = f'<h{level} class="topictitle"><a href="#{anchor}">{label}</a></h{level}>'
        inner = f'<a name="{anchor}" shape="rect"><!-- --></a>{heading}'
        return f'<div class="topic concept" id="{anchor}">{inner}<div class="body"><p>{content}</p></div></div>'
    span = f'<span id="{section["alias"]}"></span>' if shape == "span" else ""
    return f'<section id="{anchor}">{span}<h{level}>{label}{link}</h{level}>{content}</section>'


def _content(section: Mapping[str, Any]) -> str:
    parts = [f"<p>{html.escape(section['text'])}</p>"]
    if "code" in section:
        parts.append(f'<div class="highlight"><pre><span></span>{html.escape(section["code"])}\n</pre></div>')
    if "terms" in section:
        rows = "".join(
            f"<dt><code>{html.escape(t)}</code></dt><dd><p>{html.escape(d)}</p></dd>" for t, d in section["terms"]
        )
        parts.append(f"<dl>{rows}</dl>")
    if "table" in section:
        caption = section.get("table_caption")
        top = f'<caption><span class="caption-text">{caption}</span></caption>' if caption else ""
        head = "".join(f"<th><p>{html.escape(cell)}</p></th>" for cell in section["table"][0])
        rows = "".join(
            f"<tr>{''.join(f'<td><p>{html.escape(cell)}</p></td>' for cell in row)}</tr>"
            for row in section["table"][1:]
        )
        parts.append(f"<table>{top}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    return "".join(parts)
