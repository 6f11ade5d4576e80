"""What a reply's kernel table keeps of the parent's plan and what it replaces."""

import json
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from proposer.model.reply.corpus import first_attempt, softmax
from warpwright.candidate.candidate import Candidate, CaseOverride, Launch, LaunchPlan, Scratch
from warpwright.hardware.catalog import load_gpu
from warpwright.knowledge.field_guide.reader import cards
from warpwright.proposer.conversation import Reply
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply
from warpwright.proposer.model.reply.candidate import candidate_of
from warpwright.proposer.model.reply.duplicate import duplicate_of
from warpwright.proposer.model.reply.hypothesis import hypothesis_of
from warpwright.proposer.model.reply.parse import ParsedReply, parse_reply

ARGUMENTS = "float* y, const float* x, int rows, int cols"
SOURCE = f'extern "C" __global__ void softmax({ARGUMENTS}) {{ y[0] = BLOCK; }}\n'
PAIR = SOURCE + SOURCE.replace("softmax", "second")
H200 = load_gpu("h200")


def parent(**changes: Any) -> Candidate:
    """One launch with an override, and a tuned point."""
    launch = Launch("softmax", ("rows",), ("BLOCK",), shared="4 * BLOCK")
    overrides = {"one": CaseOverride(block=("32",))}
    base = Candidate(
        SOURCE,
        LaunchPlan((launch,), overrides=MappingProxyType(overrides)),
        tunables=MappingProxyType({"BLOCK": (128, 64)}),
        point=MappingProxyType({"BLOCK": 64}),
        headers=MappingProxyType({"rows.h": "#define ROWS 1\n"}),
    )
    return replace(base, **changes)


def pair() -> Candidate:
    launches = (Launch("softmax", ("rows",), ("64",)), Launch("second", ("1",), ("32",)))
    return parent(source=PAIR, plan=LaunchPlan(launches, (Scratch("sums", "float32", ("rows",)),)))


def parsed(kernel: dict[str, Any], source: str, entries: tuple[str, ...] = ("softmax",), **header: Any) -> ParsedReply:
    said = json.dumps({"technique": "t", "hypothesis": "h", "kernel": kernel, **header})
    result = parse_reply(Reply(f"```json\n{said}\n```\n```cuda\n{source}```\n"), entries)
    assert isinstance(result, ParsedReply), result.verdict
    return result


def made(kernel: dict[str, Any], base: Candidate, source: str = SOURCE) -> Candidate | BadReply:
    return candidate_of(parsed(kernel, source), base, softmax(), H200)


def good(kernel: dict[str, Any], base: Candidate, source: str = SOURCE) -> Candidate:
    result = made(kernel, base, source)
    assert isinstance(result, Candidate), result.verdict
    return result


def test_without_a_table_everything_but_the_source_stays() -> None:
    source = SOURCE.replace("[0]", "[1]")
    assert good({}, parent(), source) == parent(source=source)


def test_a_field_replaces_its_own_and_the_rest_of_the_launch_stays() -> None:
    result = good({"grid": ["2 * rows"]}, parent())
    assert result.plan.launches == (Launch("softmax", ("2 * rows",), ("BLOCK",), shared="4 * BLOCK"),)
    assert result.values() == {"BLOCK": 64}
    assert not result.plan.overrides  # they were written for the launch as it was


def test_new_tunables_begin_at_their_first_value() -> None:
    result = good({"tunables": {"BLOCK": [32, 64]}}, parent())
    assert result.tunables == {"BLOCK": (32, 64)}
    assert result.values() == {"BLOCK": 32}


def test_a_tunable_that_nothing_mentions_is_left_out() -> None:
    result = good({"tunables": {"BLOCK": [32], "IDLE": [1, 2]}, "point": {"IDLE": 2}}, parent())
    assert result.tunables == {"BLOCK": (32,)}
    assert not result.point


@pytest.mark.parametrize(
    ("kernel", "source"),
    [
        ({"block": ["TILE"], "tunables": {"BLOCK": [32], "TILE": [64]}}, SOURCE),
        ({"tunables": {"BLOCK": [32], "TILE": [64]}}, "#define SIDE (2 * TILE)\n" + SOURCE.replace("BLOCK", "BLOCK + SIDE")),
        ({"entry": "softmax<TILE>", "grid": [1], "block": [32], "tunables": {"TILE": [64]}},
         f"template <int N> __global__ void softmax({ARGUMENTS}) {{ y[0] = N; }}\n"),
    ],
)  # fmt: skip
def test_a_tunable_is_kept_where_plan_macro_or_template_name_it(kernel: dict[str, Any], source: str) -> None:
    assert "TILE" in good(kernel, parent(), source).tunables


def test_another_kernel_is_launched_as_described_and_inherits_nothing() -> None:
    result = good({"entry": "second", "grid": ["rows"], "block": [64]}, parent(), PAIR)
    assert result.plan == LaunchPlan((Launch("second", ("rows",), ("64",)),))


def test_another_kernel_without_a_grid_is_not_guessed() -> None:
    result = made({"entry": "second", "block": [64]}, parent(), PAIR)
    assert isinstance(result, BadReply)
    assert (result.kind, "grid missing" in result.detail) == (BadKind.HEADER, True)


def test_one_kernel_in_place_of_several_takes_no_scratch() -> None:
    result = good({"entry": "softmax", "grid": ["rows"], "block": [64]}, pair())
    assert result.plan == LaunchPlan((Launch("softmax", ("rows",), ("64",)),))


def test_one_size_of_several_launches_is_ambiguous() -> None:
    result = candidate_of(parsed({"block": [64]}, PAIR, ("softmax", "second")), pair(), softmax(), H200)
    assert isinstance(result, BadReply)
    assert result.kind is BadKind.HEADER


def test_launches_replace_the_plan() -> None:
    launches = [{"entry": "second", "grid": ["rows"], "block": [32], "args": None}]
    result = good({"launches": launches}, parent(), PAIR)
    assert result.plan == LaunchPlan((Launch("second", ("rows",), ("32",)),))


def test_null_takes_a_cluster_away() -> None:
    launch = Launch("softmax", ("2 * rows",), ("64",), cluster=("2",))
    base = parent(plan=LaunchPlan((launch,)))
    assert good({}, base).plan.launches[0].cluster == ("2",)
    assert good({"cluster": None}, base).plan.launches[0].cluster is None


def test_a_case_that_the_parent_cannot_run_either_does_not_count() -> None:
    """`gpu_long` has 4096 rows: a grid.y of 17 * rows breaks the limit there and in no other case."""
    launch = Launch("softmax", ("1", "17 * rows"), ("BLOCK",))
    workload = replace(softmax(), cases=tuple(c for c in softmax().cases if c.dims["rows"] in (512, 4096)))
    able = parsed({"grid": [1, "17 * rows"]}, SOURCE)
    refused = candidate_of(able, parent(plan=LaunchPlan((Launch("softmax", ("rows",), ("64",)),))), workload, H200)
    assert isinstance(refused, BadReply)
    assert (refused.kind, "gpu_long" in refused.detail) == (BadKind.LIMITS, True)
    assert isinstance(candidate_of(able, parent(plan=LaunchPlan((launch,))), workload, H200), Candidate)


def test_a_header_of_the_workload_stays_and_another_file_is_refused() -> None:
    assert good({}, parent(), '#include "rows.h"\n' + SOURCE).headers == {"rows.h": "#define ROWS 1\n"}
    refused = made({}, parent(), '#include "../reference.py"\n' + SOURCE)
    assert isinstance(refused, BadReply)
    assert refused.kind is BadKind.POLICY


def test_layout_and_comments_do_not_make_a_new_kernel() -> None:
    initial = softmax().initial
    again = replace(initial, source="// faster!\n" + initial.source.replace("    ", "\t"))
    found = duplicate_of(again, [first_attempt()])
    assert found is not None
    assert (found.kind, "attempt 1" in found.detail, "passed" in found.detail) == (BadKind.DUPLICATE, True, True)


@pytest.mark.parametrize(
    "change",
    [
        {"source": softmax().initial.source.replace("float sum = 0.0f", "float sum = 0.5f")},
        {"source": softmax().initial.source.replace("    for", "    #pragma unroll 4\n    for")},
        {"point": MappingProxyType({"BLOCK": 64})},
        {"options": ("--use_fast_math",)},
        {"plan": LaunchPlan((Launch("softmax", ("rows",), ("BLOCK",)),))},
    ],
    ids=["code", "pragma", "value", "option", "launch"],
)
def test_what_changes_the_binary_or_the_launch_is_no_duplicate(change: dict[str, Any]) -> None:
    assert duplicate_of(replace(softmax().initial, **change), [first_attempt()]) is None


def test_pragmas_that_differ_are_told_apart() -> None:
    first = first_attempt()
    unrolled = [softmax().initial.source.replace("    for", f"    #pragma unroll {n}\n    for") for n in (2, 4)]
    tried = replace(first, candidate=replace(first.candidate, source=unrolled[0]))
    assert duplicate_of(replace(first.candidate, source=unrolled[1]), [tried]) is None


def test_a_hypothesis_keeps_what_was_said_and_what_was_asked() -> None:
    card = next(iter(cards()))
    said = parsed({}, SOURCE, card=card, expects={"duration_ns": 0.5}, citations=["a", "b", "a"])
    found = hypothesis_of(said, "dram_bound")
    assert (found.technique, found.text, found.card, found.bottleneck) == ("t", "h", card, "dram_bound")
    assert (found.expects, found.citations) == ({"duration_ns": 0.5}, ("a", "b"))


def test_words_that_a_terminal_would_obey_are_left_out() -> None:
    said = parsed({}, SOURCE, hypothesis="fewer\x1b[2J reads\n\u202eand writes")
    assert hypothesis_of(said).text == "fewer[2J reads and writes"
