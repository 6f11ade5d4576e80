"""What each kind of wrong kernel is called, and what the message says."""

import re
from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

from warpwright.device.protocol import ArrayArgument, Fault, FaultKind, RunRequest
from warpwright.verifier.verdict import Verdict
from warpwright.workload.values import Array

Arrays = dict[str, Array]
Judge = Callable[..., Verdict]


def honest(arrays: Arrays, request: RunRequest) -> None:
    arrays["y"][:] = 2 * arrays["x"]
    arrays["positive"][0] = (arrays["x"] > 0).sum()


def test_an_honest_kernel_passes_every_seed(judge: Judge) -> None:
    verdict = judge(honest, seeds=(1, 2, 3))
    assert verdict == Verdict(None, "", verdict.comparisons, (), 0.0)
    assert [c.output for c in verdict.comparisons] == ["y", "positive"]


def test_unwritten_elements_are_counted_and_the_grid_named(judge: Judge) -> None:
    def partial(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        arrays["y"][976:] = np.full(24 * 4, request.poison, np.uint8).view(np.float32)

    verdict = judge(partial)
    assert verdict.outcome == "wrong_result.unwritten"
    assert verdict.message == (
        "case small (n=1000): 24 of 1000 elements of y were never written (first: y[976]). "
        "Check the grid: 61 blocks of 16 threads cover 976."
    )


def test_values_that_equal_one_poison_are_not_taken_for_unwritten(judge: Judge) -> None:
    def nan_everywhere(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        arrays["y"][:] = np.full(4000, 0xFF, np.uint8).view(np.float32)

    assert judge(nan_everywhere).outcome == "wrong_result.nonfinite"


def test_a_changed_input_is_named_although_the_output_is_right(judge: Judge) -> None:
    def tampering(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        arrays["x"].view(np.uint8)[28:34] ^= 1

    verdict = judge(tampering)
    assert verdict.outcome == "wrong_result.input_modified"
    assert verdict.message == (
        "case small (n=1000): 6 of 4000 bytes of input x were changed (first: x[7]). "
        "Inputs are read only; write to an output or scratch."
    )


def test_a_result_that_builds_on_old_contents_is_an_uninitialised_read(judge: Judge) -> None:
    def accumulating(arrays: Arrays, request: RunRequest) -> None:
        arrays["y"][:] = 2 * arrays["x"]
        arrays["positive"][0] += (arrays["x"] > 0).sum()

    verdict = judge(accumulating)
    assert verdict.outcome == "wrong_result.uninitialised_read"
    assert verdict.message.startswith(
        "case small (n=1000): the result depends on what outputs or scratch held before the launch "
        "(fill 0xFF and 0x7E give different results). Write every element before it is read. "
        "Also case small (n=1000): positive: 1 of 1 elements are wrong; first positive[0]: got "
    )


def test_a_result_that_changes_from_run_to_run_is_unstable(judge: Judge) -> None:
    runs = count()

    def racing(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        arrays["y"][3] += next(runs)

    assert judge(racing).outcome == "unstable.run_to_run"


def test_a_result_that_depends_on_what_lies_beyond_the_arrays_is_an_out_of_bounds_read(judge: Judge) -> None:
    def overreaching(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        arrays["y"][-1] += np.float32(request.guard)

    verdict = judge(overreaching)
    assert verdict.outcome == "wrong_result.oob_read"
    assert verdict.message.startswith(
        "case small (n=1000): the result depends on what lies beyond the arrays (0xA5 and 0x3C there give different "
        "results): some load is out of bounds, of an array that is not known. Check indices and guards of every load. "
    )


def test_a_harmless_out_of_bounds_read_is_noted(judge: Judge) -> None:
    def overreaching(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        if request.guard == 0x3C:
            arrays["y"][3] = np.nextafter(arrays["y"][3], np.float32(9))

    verdict = judge(overreaching)
    assert verdict.outcome is None
    assert verdict.notes[0] == (
        "case small (n=1000): results differ with what lies beyond the arrays, within tolerance"
    )
    assert verdict.deterministic is False


def test_a_gpu_makes_its_inputs_and_runs_the_first_seed_a_third_time(judge: Judge) -> None:
    requests: list[RunRequest] = []

    def recorded(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        requests.append(request)

    verdict = judge(recorded, seeds=(1, 2, 3), gpu=True)
    assert verdict == Verdict(None, "", verdict.comparisons, (), 0.0, deterministic=True)
    assert len(requests) == 5
    assert requests[-1] == requests[0]
    x = next(a for a in requests[0].arguments if a.name == "x")
    assert isinstance(x, ArrayArgument)
    assert x.value is None
    assert x.generated is not None
    assert [(r.poison, r.guard) for r in requests] == [(255, 0xA5), (126, 0x3C), (126, 0x3C), (255, 0xA5), (255, 0xA5)]


def test_what_a_seed_shows_counts_before_what_the_next_one_does(judge: Judge) -> None:
    """On a GPU the next seed has run by the time that one is judged."""
    runs = count()

    def wrong_then_crash(arrays: Arrays, request: RunRequest) -> Fault | None:
        honest(arrays, request)
        number = next(runs)
        arrays["y"][7] += 1 if number < 2 else 0
        return Fault(FaultKind.TRAP, "trap") if number == 2 else None

    verdict = judge(wrong_then_crash, seeds=(1, 2, 3), gpu=True)
    assert verdict.outcome == "wrong_result.mismatch"
    assert next(runs) == 3, "and no seed behind it is run"


@pytest.mark.parametrize("gpu", [False, True])
def test_nothing_runs_behind_a_fault(judge: Judge, gpu: bool) -> None:
    runs = count()

    def crash(arrays: Arrays, request: RunRequest) -> Fault:
        next(runs)
        return Fault(FaultKind.TIMEOUT, "hangs")

    assert judge(crash, seeds=(1, 2, 3), gpu=gpu).outcome == "timeout.verify"
    assert next(runs) == 1


@pytest.mark.parametrize(("step", "outcome"), [(1e-7, None), (1.0, "unstable.run_to_run")])
def test_state_that_only_the_third_run_shows(judge: Judge, step: float, outcome: str | None) -> None:
    runs = count()

    def drifting(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        if next(runs) == 2:
            arrays["y"] *= np.float32(1 + step)

    verdict = judge(drifting, seeds=(1,), gpu=True)
    assert verdict.outcome == outcome
    if outcome is None:
        assert verdict.deterministic is False
        assert verdict.notes == ("case small (n=1000): results differ between runs, within tolerance",)
    else:
        assert "two runs with the same inputs give results that differ beyond tolerance" in verdict.message


def test_a_difference_within_tolerance_is_only_noted(judge: Judge) -> None:
    runs = count()

    def atomics(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        for _ in range(next(runs)):
            arrays["y"][3] = np.nextafter(arrays["y"][3], np.float32(9))

    verdict = judge(atomics)
    assert verdict.outcome is None
    assert verdict.notes[0] == "case small (n=1000): results differ between runs, within tolerance"


def test_wrong_elements_are_shown_with_got_and_want(judge: Judge) -> None:
    def off_by_one(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        arrays["positive"][0] += 1

    verdict = judge(off_by_one)
    assert verdict.outcome == "wrong_result.mismatch"
    assert re.fullmatch(
        r"case small \(n=1000\): positive: 1 of 1 elements are wrong; first positive\[0\]: got \d+, want \d+",
        verdict.message,
    )


def test_an_answer_that_fits_only_the_visible_seed_is_caught_by_a_secret_one(judge: Judge) -> None:
    remembered: Arrays = {}

    def memoised(arrays: Arrays, request: RunRequest) -> None:
        if not remembered:
            honest(arrays, request)
            remembered.update({name: array.copy() for name, array in arrays.items()})
        arrays["y"][:] = remembered["y"]
        arrays["positive"][:] = remembered["positive"]

    verdict = judge(memoised, seeds=(1, 99))
    assert verdict.outcome == "wrong_result.mismatch"
    assert " (secret seed): y: 1000 of 1000 elements are wrong" in verdict.message


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_fault_becomes_the_outcome_with_case_and_line(judge: Judge, kind: FaultKind) -> None:
    verdict = judge(lambda arrays, request: Fault(kind, "read past x", "scale", 14, (1, 0, 0), (3, 0, 0)))
    message = "case small (n=1000): scale, kernel.cu:14, block (1, 0, 0), thread (3, 0, 0): read past x"
    assert verdict == Verdict(kind.value, message, line=14)


def test_both_alignments_are_run_and_a_fault_names_what_is_guaranteed(judge: Judge) -> None:
    def vectorised(arrays: Arrays, request: RunRequest) -> Fault | None:
        honest(arrays, request)
        return Fault(FaultKind.MISALIGNED, "16-byte load from x.", line=9) if request.least_alignment else None

    assert judge(vectorised).outcome is None
    verdict = judge(vectorised, seeds=(1, 2))
    assert verdict.outcome == "crash.misaligned"
    assert verdict.message == (
        "case small (n=1000): kernel.cu:9: 16-byte load from x. "
        "The workload guarantees only these alignments in bytes: y: 4, positive: 4, x: 4."
    )


def test_a_narrow_pass_is_noted_as_surfing(judge: Judge) -> None:
    def rough(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        arrays["y"][np.abs(arrays["y"]).argmax()] *= np.float32(1 + 8e-7)

    verdict = judge(rough)
    assert verdict.outcome is None
    assert verdict.margin is not None
    assert 0.5 < verdict.margin <= 1.0
    assert verdict.notes == (f"case small (n=1000): y uses {verdict.margin:.0%} of its error budget",)


def test_the_margin_is_the_worst_of_all_seeds(judge: Judge) -> None:
    offsets = iter((0.0, 0.0, 4e-7, 1e-7))

    def rough(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        arrays["y"][np.abs(arrays["y"]).argmax()] *= np.float32(1 + next(offsets))

    verdict = judge(rough, seeds=(1, 2, 3))
    assert verdict.outcome is None
    assert verdict.margin is not None
    assert 0.2 < verdict.margin < 0.5
    assert max(c.margin for c in verdict.comparisons) == verdict.margin


def test_no_seeds_are_no_proof(judge: Judge) -> None:
    with pytest.raises(ValueError, match="case small: no seeds; nothing would be verified"):
        judge(honest, seeds=())
