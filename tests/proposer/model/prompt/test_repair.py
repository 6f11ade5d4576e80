"""A failed attempt goes back with what its record holds: compiler lines, wrong elements, the line of a fault, the plan."""

import pytest

from proposer.model.prompt.quotes import inside
from proposer.model.prompt.records import Record, compared, evaluation, failed, failed_case
from warpwright.compiler.result import Diagnostic
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.proposer.model.prompt.build import build_reask, build_repair
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply
from warpwright.record.attempt import Hypothesis
from warpwright.workload.values import Mismatch

SOURCE = "\n".join(f"int line_{number};" for number in range(1, 30))


def repair_text(result: Evaluation) -> str:
    record = Record()
    number = record.add(result, Hypothesis("tile", "a tile in shared memory", citations=("FG-07",)), SOURCE)
    prompt = build_repair(record.state(), number, tools=False)
    assert prompt.citations == ("FG-07",)
    return prompt.messages[1].text


def test_the_compilers_messages_stand_with_the_lines_they_are_about() -> None:
    fault = failed(
        Diagnostic("kernel.cu", 12, "error", "expected a ';'"),
        Diagnostic("/usr/local/cuda/include/cuda_fp16.hpp", 9, "note", "declared here"),
    )
    text = repair_text(evaluation(Outcome.COMPILE_ERROR, None, "syntax", "kernel.cu:12: expected a ';'", (), fault, 12))
    assert "## What happened to attempt 2: compile_error.syntax" in text
    assert "kernel.cu:12: error: expected a ';'\n    12 | int line_12;" in text
    assert "\ncuda_fp16.hpp:9: note: declared here" in text
    assert "tile: a tile in shared memory" in text
    assert SOURCE in text


def test_wrong_elements_stand_with_index_and_both_values() -> None:
    first = tuple(Mismatch((row, 5), 0.25 * row, 0.5) for row in range(8))
    wrong = compared("y", *first, wrong=4000, total=8192)
    case = failed_case("ragged", compared("z", wrong=0, total=8192), wrong)
    text = repair_text(
        evaluation(Outcome.WRONG_RESULT, None, "mismatch", "case ragged: y[0, 5]: got 0, want 0.5", (case,))
    )
    assert "case ragged, y: 4000 of 8192 elements are wrong; the first ones:" in text
    assert "y[3, 5] is 0.75, should be 0.5" in text
    assert "y[7, 5] is 1.75, should be 0.5" in text
    assert "ragged, z" not in text


def test_a_fault_stands_with_the_source_around_its_line() -> None:
    message = "case ragged: softmax, kernel.cu:7, block (0, 0, 0), thread (1, 0, 0): out-of-bounds read"
    text = repair_text(evaluation(Outcome.CRASH, None, "out_of_bounds", message, line=7))
    assert message in text
    assert (
        "     5 | int line_5;\n     6 | int line_6;\n     7 | int line_7;\n     8 | int line_8;\n     9 | int line_9;"
        in text
    )


def test_a_plan_that_the_device_refuses_is_told() -> None:
    text = repair_text(evaluation(Outcome.INVALID_PLAN, None, "limits", "softmax: block (2048, 1, 1) has 2048 threads"))
    assert "block (2048, 1, 1) has 2048 threads" in inside(text)[-1]


@pytest.mark.parametrize("line", [0, 10_000])
def test_a_line_outside_the_source_is_not_shown(line: int) -> None:
    assert "source around line" not in repair_text(evaluation(Outcome.CRASH, None, message="x", line=line))


@pytest.mark.parametrize("kind", list(BadKind))
def test_every_fault_of_a_reply_comes_back_with_what_to_do(kind: BadKind) -> None:
    text = build_reask(BadReply(kind, "kernel.grid: found 7.5")).text
    assert text.startswith(f"Your last reply was not used: {kind.value}.")
    assert inside(text) == ["kernel.grid: found 7.5"]
    assert text.endswith("one `json` block, then one `cuda` block with the full source.")
