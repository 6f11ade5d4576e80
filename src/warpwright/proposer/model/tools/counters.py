"""Counters of an attempt."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from warpwright.profiler.basis import counted_by
from warpwright.profiler.counters import format_counter, metrics
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.profiler.diagnosis.wording import hint_words, roof_sentence
from warpwright.profiler.profile import CaseProfile
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import one_line, without_paths
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool


class _Ask(Arguments):
    attempt: Annotated[int, Field(description="Number of the attempt.")]
    case: Annotated[
        str, Field(description="Name of a case; empty: the one that the diagnosis is about.", max_length=200)
    ] = ""


def counters(aids: Aids) -> Tool:
    """Every known counter of one case, and what the diagnosis says of it."""

    def answer(asked: _Ask) -> str:
        attempt = aids.attempt(asked.attempt)
        profiles = {profile.case: profile for profile in aids.state.profiles.get(attempt.number, ())}
        if not profiles:
            return f"Attempt {attempt.number} ({attempt.evaluation.label}) was not profiled: nothing is known of its counters."
        diagnosis = aids.state.diagnoses.get(attempt.number)
        target = "" if diagnosis is None or diagnosis.target_case is None else diagnosis.target_case
        case = asked.case or (target if target in profiles else next(iter(profiles)))
        if case not in profiles:
            return f"Attempt {attempt.number} was not profiled on that case; it was on: {', '.join(profiles)}."
        return "\n".join([*_findings(case, diagnosis), *_counters(profiles[case])])

    return Tool("counters", "All known hardware counters of an attempt on one case, with what they say.", _Ask, answer)


def _findings(case: str, diagnosis: AttemptDiagnosis | None) -> Iterator[str]:
    judged = None if diagnosis is None else next((found for found in diagnosis.cases if found.case == case), None)
    if judged is None:
        return
    if judged.at_roof:
        yield roof_sentence(judged)
    for finding in judged.findings:
        hint = f"{hint_words(judged, finding)}: " if finding.hint and not judged.at_roof else ""
        yield f"{hint}{finding.bottleneck}: {one_line(finding.text, limits().line)}"


def _counters(profile: CaseProfile) -> Iterator[str]:
    yield f"case {profile.case}, kernel {profile.main.entry}, {counted_by(profile.tool)}:"
    for name, counter in profile.main.counters.items():
        if name in metrics():
            yield f"{name} = {counter.value:.6g} ({format_counter(name, counter.value)}, {counter.quality.value})"
    for name, why in profile.missing.items():
        yield f"{name} is unknown: {one_line(without_paths(why), limits().line)}"
