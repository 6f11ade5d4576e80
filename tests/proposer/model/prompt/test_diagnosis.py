"""What a prompt says of a diagnosis: a hint is no order, the roof has no bounds, a measured time is no estimate."""

from dataclasses import replace
from typing import Any

from proposer.model.prompt.records import FINDINGS, Record
from warpwright.device.protocol import TimeSource
from warpwright.profiler.counters import Quality
from warpwright.profiler.derived import TOOL as DERIVED
from warpwright.profiler.diagnosis.finding import Evidence, Finding
from warpwright.proposer.model.prompt.build import build_prompt


def diagnosed(record: Record, **changes: Any) -> str:
    """The prompt after the diagnosis of the first attempt was changed."""
    found = record.diagnoses[1]
    record.diagnoses[1] = replace(found, cases=(replace(found.cases[0], **changes),))
    messages = build_prompt(record.state(), 1, tools=True).messages
    return "\n".join(message.text for message in messages)


def test_a_hint_is_worth_a_look_and_no_order() -> None:
    text = diagnosed(Record(), findings=tuple(replace(finding, hint=True) for finding in FINDINGS))
    assert "No class is known to limit it; worth a look: grid_too_small. 4 blocks cannot" in text
    assert "Worth a look: uncoalesced:" in text
    assert not any(words in text for words in ("To treat", "curing it"))


def test_at_the_roof_nothing_is_to_be_treated_and_nothing_is_promised() -> None:
    roof = Finding(
        "at_the_roof", 0.97, (Evidence("attainable_us / time_us", 0.97, ">=", 0.95),), "Nothing is left.", 1.03
    )
    text = diagnosed(Record(), findings=(roof, *FINDINGS), at_roof=True)
    section = text[text.index("## Diagnosis") : text.index("## Counters")]
    assert "At its roof: nothing is left to gain by the estimates but by less work." in section
    assert "Also seen: grid_too_small:" in section
    assert not any(words in section for words in ("To treat", "orth a look", "at most", "Next after it"))


def test_a_measured_time_without_hardware_counters_is_not_called_an_estimate() -> None:
    record = Record()
    text = diagnosed(record, tool=DERIVED, time_source=TimeSource.MEASURED)
    assert "kernel softmax: 1.57 ms; physics allows" in text
    assert "estimated by a model" not in text
    assert "no hardware counters: derived from the compiler's report and the launch plan" in text


def test_estimated_counters_evidence_and_bounds_are_labelled() -> None:
    record = Record()
    (given,) = record.profiles[1]
    counters = dict(given.main.counters)
    counters["dram_throughput_ratio"] = replace(counters["dram_throughput_ratio"], quality=Quality.ESTIMATED)
    record.profiles[1] = (replace(given, launches=(replace(given.main, counters=counters),)),)
    (evidence,) = FINDINGS[1].evidence
    estimate = replace(FINDINGS[1], evidence=(replace(evidence, estimated=True),), bound_estimated=True)
    text = diagnosed(record, findings=(estimate,))
    assert "- dram_throughput_ratio = 0.01 (est. 1 %): " in text
    assert "- global_excess_ratio = 0.875 (88 %): " in text
    assert "curing it can bring at most est. 2 times the speed" in text
    assert "Evidence: global_excess_ratio = est. 88 % (> 30 %)." in text
