"""Candidate directories: exact round trip, lone files, and every mistake with its message."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.candidate.candidate import Candidate, CaseOverride, Launch, LaunchPlan, Scratch
from warpwright.candidate.directory import load_candidate, write_candidate
from warpwright.errors import CandidateError

SOURCE = '// Grüße \\ "quoted"\nextern "C" __global__ void f() {}\n'
PLAIN = Candidate(SOURCE, LaunchPlan((Launch("f", ("ceil_div(n, B)",), ("B",)),)), tunables={"B": (64, 128)})
FULL = Candidate(
    source=SOURCE,
    source_name="two.cu",
    plan=LaunchPlan(
        launches=(
            Launch("k<float, 4>", ("n",), ("B", "2"), "B * 4", ("2",), cooperative=True, args=("x", "part")),
            Launch("second", ("1", "2", "3"), ("32",)),
        ),
        scratch=(Scratch("part", "float32", ("n", "2")),),
        overrides={"a case.1": CaseOverride(("1",), ("B",), "0", {"B": 128}), "b": CaseOverride()},
    ),
    tunables={"B": (64, 128), "U": (1,)},
    point={"B": 128},
    options=("--use_fast_math",),
    headers={"lib/vec.h": "#pragma once\n"},
)


@pytest.mark.parametrize("candidate", [PLAIN, FULL], ids=["one launch", "everything"])
def test_round_trip_is_exact(candidate: Candidate, tmp_path: Path) -> None:
    write_candidate(tmp_path / "c", candidate)
    loaded = load_candidate(tmp_path / "c")
    assert loaded == candidate
    assert loaded.identity == candidate.identity


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_survives_in_toml(text: str) -> None:
    import tomllib

    from warpwright.candidate.directory import candidate_toml

    named = Candidate("", LaunchPlan((Launch(text, ("1",), ("1",)),)))
    assert tomllib.loads(candidate_toml(named))["kernel"]["entry"] == text


def test_a_lone_file_takes_the_plan_of_the_default(tmp_path: Path) -> None:
    (tmp_path / "mine.cu").write_text("// mine\r\n", encoding="utf-8", newline="")
    loaded = load_candidate(tmp_path / "mine.cu", PLAIN)
    assert (loaded.source, loaded.source_name) == ("// mine\n", "mine.cu")
    assert (loaded.plan, loaded.tunables) == (PLAIN.plan, PLAIN.tunables)


BASE = '[kernel]\nentry = "f"\ngrid = ["n"]\nblock = ["B"]\n'
TUNABLES = "[kernel.tunables]\nB = [64, 128]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[kernel", "not valid TOML: Expected ']' at the end of a table declaration (at end of document)"),
        ("", "kernel is missing"),
        ("[kernel]\n", "kernel: entry, grid, block missing; give entry, grid and block, or [[kernel.launches]]"),
        (
            BASE + "blok = 3\n",
            (
            "unknown key 'blok' in [kernel]; allowed: args, block, case, cluster, cooperative, entry, grid, headers, "
            "launches, options, point, scratch, shared, source, tunables. Did you mean 'block'?"
            ),
        ),
        (BASE + "cooperative = 3\n", "kernel.cooperative: found 3 (an integer); allowed: true or false"),
        (BASE.replace('["n"]', "[1, 2, 3, 4]"), "kernel.grid: found a list; allowed: at most 3 values"),
        (
            BASE.replace('["n"]', "[1.5]"),
            "kernel.grid[0]: found 1.5; allowed: an integer expression, such as 'ceil_div(n, BLOCK)', or an integer",
        ),
        (
            BASE.replace('["n"]', '["n ^ 2"]'),
            (
            "kernel.grid[0]: expression 'n ^ 2', column 3: unexpected character '^'; allowed are numbers, names, "
            "+ - * / // %, parentheses, ceil_div, min, max, next_pow2"
            ),
        ),
        (BASE + "[kernel.tunables]\nB = []\n", "kernel.tunables.B: found a list; allowed: at least 1 value"),
        (BASE + "[kernel.tunables]\nB = [64, 64]\n", "kernel: tunables.B lists a value twice: [64, 64]"),
        (BASE + TUNABLES + "[kernel.point]\nB = 3\n", "kernel: point.B: found 3; allowed: 64, 128"),
        (BASE + TUNABLES + "[kernel.point]\nC = 3\n", "kernel: point.C is not a tunable; tunables: B."),
        (
            BASE + '[[kernel.launches]]\nentry = "g"\ngrid = [1]\nblock = [1]\n',
            "kernel: entry, grid, block beside [[kernel.launches]]; allowed: one or the other",
        ),
        (
            BASE + 'source = "../k.cu"\n',
            "kernel: source: found '../k.cu'; allowed: the name of a file in the same directory",
        ),
        (
            BASE + 'headers = ["/etc/passwd"]\n',
            "kernel: file '/etc/passwd'; allowed: a relative path with / inside the directory, without ..",
        ),
    ],
    ids=[
        "toml", "empty", "no plan", "unknown key", "bool", "four axes", "fraction", "expression", "no values", "twice",
        "point", "unknown tunable", "two plans", "source outside", "header outside",
    ],
)  # fmt: skip
def test_a_mistake_names_file_key_found_and_allowed(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "candidate.toml").write_text(text, encoding="utf-8")
    (tmp_path / "kernel.cu").write_text(SOURCE, encoding="utf-8")
    with pytest.raises(CandidateError) as error:
        load_candidate(tmp_path)
    assert str(error.value) == f"{tmp_path / 'candidate.toml'}: {message}"


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "candidate.toml").write_text(BASE + "cooperative = 3\nshared = true\n", encoding="utf-8")
    with pytest.raises(CandidateError) as error:
        load_candidate(tmp_path)
    assert len(str(error.value).splitlines()) == 2


def test_a_missing_or_unreadable_source_is_named(tmp_path: Path) -> None:
    (tmp_path / "candidate.toml").write_text(BASE, encoding="utf-8")
    with pytest.raises(CandidateError) as error:
        load_candidate(tmp_path)
    assert str(error.value) == f"{tmp_path / 'kernel.cu'}: no such file"
    (tmp_path / "kernel.cu").write_bytes(b"// \xff\n")
    with pytest.raises(CandidateError) as error:
        load_candidate(tmp_path)
    assert str(error.value) == f"{tmp_path / 'kernel.cu'}: byte 3 is not UTF-8 text; save the file as UTF-8"
