"""HTML in the shapes that documentation has had."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.knowledge.documents.parsing.document import Block, BlockKind, split_number
from warpwright.knowledge.documents.parsing.html import parse_html


@pytest.mark.parametrize(
    ("body", "anchor", "aliases"),
    [
        ('<section id="a"><h2>2.1. Title</h2><p>x</p></section>', "a", []),
        ('<h2 id="a">2.1. Title</h2><p>x</p>', "a", []),
        ('<section id="a"><span id="b"></span><span id="c"></span><h2>Title</h2></section>', "a", ["b", "c"]),
        ('<span id="b"></span><section id="a"><h2>Title</h2></section>', "a", ["b"]),
        (
            '<div class="topic" id="a"><a name="a"><!-- --></a><h3><a href="#a" name="old">A.2. Title</a></h3></div>',
            "a",
            ["old"],
        ),
        ('<section id="outer"><section id="a"><h2>Title</h2></section></section>', "a", ["outer"]),
        ("<h2>L1/TEX Cache &amp; more</h2>", "l1-tex-cache-more", []),
    ],
    ids=["section", "heading", "labels inside", "label before", "topic", "nested", "none"],
)
def test_the_anchor_of_a_heading_and_its_other_names(body: str, anchor: str, aliases: list[str]) -> None:
    section = parse_html(f"<body><article>{body}</article></body>").sections[0]
    assert (section.anchor, section.aliases) == (anchor, aliases)


def test_numbers_move_between_releases_and_are_no_part_of_the_title() -> None:
    page = parse_html(
        '<article><h2>2.6.2. Clock Control<a class="headerlink" href="#x">¶</a></h2><h3>A. Notes</h3></article>'
    )
    assert [(s.number, s.title, s.level) for s in page.sections] == [("2.6.2", "Clock Control", 2), ("A", "Notes", 3)]


@pytest.mark.parametrize(
    "title", ["C++ Language Support", "3D Textures", "A Tour of Features", "32-bit words", "2024 notes"]
)
def test_titles_that_only_look_numbered_stay(title: str) -> None:
    assert split_number(title) == ("", title)


def test_text_before_a_section_is_not_taken_for_its_label() -> None:
    page = parse_html('<article><h1 id="a">One</h1><div id="figure">words</div><h2>Two</h2></article>')
    assert (page.sections[1].anchor, page.sections[1].aliases) == ("two", [])


def test_blocks_of_each_kind() -> None:
    body = (
        "<p>One <code>two</code>\n three.</p><pre>a\n  b\n</pre><ul><li><p>item</p></li><li>other</li></ul>"
        "<dl><dt>term</dt><dd>meaning</dd></dl>"
        "<table><caption>Rates</caption><tr><th>Op</th><th>9.0</th><th>8.0</th></tr><tr><td>add</td><td>128</td><td>64</td></tr></table>"
    )
    assert parse_html(f"<article><h1>T</h1>{body}</article>").sections[0].blocks == [
        Block(BlockKind.PROSE, "One two three."),
        Block(BlockKind.CODE, "a\n  b"),
        Block(BlockKind.PROSE, "item"),
        Block(BlockKind.PROSE, "other"),
        Block(BlockKind.TERM, "term: meaning"),
        Block(BlockKind.ROW, "Op: add | 9.0: 128 | 8.0: 64", "Rates"),
    ]


def test_navigation_scripts_and_footers_are_left_out() -> None:
    page = parse_html(
        "<body><nav>menu</nav><main><h1>T</h1><script>s()</script><p>text</p></main><footer>foot</footer></body>"
    )
    assert [section.text for section in page.sections] == ["text"]


@pytest.mark.parametrize(
    ("page", "version"),
    [
        ("<title>2. Guide — Product 12.4 documentation</title><h1>Guide</h1>", "12.4"),
        ('<title>Guide</title><ul><li class="wy-breadcrumbs-aside">v13.1 | PDF</li></ul><h1>Guide</h1>', "13.1"),
        ("<title>Guide</title><ul><li>v13.4.2 |</li></ul><h1>Guide</h1>", "13.4.2"),
        ("<title>Guide for 8.0 devices</title><h1>Guide</h1>", None),
    ],
)
def test_the_version_that_a_page_states(page: str, version: str | None) -> None:
    assert parse_html(page).version == version


def test_a_page_without_headings_is_one_section() -> None:
    assert [(s.title, s.text) for s in parse_html("<body><p>only words</p></body>").sections] == [("", "only words")]


def test_nesting_without_end_is_read_without_exhausting_the_stack() -> None:
    page = parse_html(f"<article><h1>T</h1>{'<div>' * 5000}deep words{'</div>' * 5000}</article>")
    assert "deep words" in page.sections[0].text


@given(st.text(alphabet=st.sampled_from("<>/abhp12 =\"'&;!-"), max_size=200))
def test_no_text_makes_the_parser_fail(text: str) -> None:
    parse_html(text)
