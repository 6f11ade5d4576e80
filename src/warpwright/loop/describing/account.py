"""What a person reads before saying yes: what is computed, how it is checked, cases to work out by hand, what was found."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from warpwright.candidate.unseen import escaped
from warpwright.loop.describing.draft import ORACLE, WORKLOAD_TOML, Draft
from warpwright.proposer.conversation import Exchange, Reply
from warpwright.workload.loader import load_workload
from warpwright.workload.model import ArrayParameter, OracleKind, Parameter, Tolerance, Workload

_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Spent:
    """Of all requests. None is unknown: one of them did not say."""

    requests: int
    tokens_in: int | None
    tokens_out: int | None
    money_usd: float | None


def spent(draft: Draft) -> Spent:
    """What the models took."""
    said = draft.exchanges()
    replies = [exchange.outcome for exchange in said if isinstance(exchange.outcome, Reply)]
    return Spent(
        len(said),
        _sum([reply.usage.tokens_in for reply in replies]),
        _sum([reply.usage.tokens_out for reply in replies]),
        _sum([exchange.money_usd for exchange in said]),
    )


def account(draft: Draft) -> str:
    """The whole account as plain text: nothing that somebody wrote can hide in it or pass for a line of ours."""
    workload = load_workload(draft.files)
    inspection, comparison = draft.kept("inspection") or {}, draft.kept("comparison") or {}
    parts: list[tuple[str, Iterable[str]]] = [
        ("Parameters", map(_parameter, workload.parameters)),
        ("Sizes", (f"{name}: {r.low} to {r.high}" for name, r in workload.dims.items())),
        ("Cases", _cases(workload)),
        ("How results are judged", _judged(workload)),
        (ORACLE, _lines(draft, ORACLE)),
        (f"{WORKLOAD_TOML}, all that is set", _lines(draft, WORKLOAD_TOML)),
        ("Small cases to work out by hand", _examples(inspection)),
        ("Checked", (f"- {line}" for line in _checked(draft, inspection, comparison))),
        ("Weaknesses that remain", (f"- {text}" for text in inspection.get("weaknesses") or [])),
    ]
    head = [f"Described: {draft.assignment.description}", f"Computes:  {workload.summary or workload.name}"]
    said = [[_one_line(line) for line in head]]
    for title, lines in parts:
        shown = [f"  {_one_line(line)}" for line in lines]
        if shown:
            said.append(["", title, *shown])
    return "\n".join(line for part in said for line in part)


def _one_line(text: str) -> str:
    return escaped(text).replace("\n", " ")


def _lines(draft: Draft, name: str) -> list[str]:
    return (draft.text(name) or "").rstrip("\n").split("\n")


def _parameter(parameter: Parameter) -> str:
    if isinstance(parameter, ArrayParameter):
        values = f", {parameter.values or 'from make_inputs'}" if parameter.role != "out" else ""
        zeroed = ", zeroed" if parameter.zeroed else ""
        return f"{parameter.name}: {parameter.role} {parameter.dtype} [{', '.join(parameter.shape)}]{values}{zeroed}"
    return f"{parameter.name}: {parameter.dtype} = {parameter.value}"


def _cases(workload: Workload) -> Iterator[str]:
    for case in workload.cases:
        sizes = ", ".join(f"{name} = {value}" for name, value in {**case.dims, **case.scalars}.items())
        where = "" if len(case.on) > 1 else f", on {next(iter(case.on)).value} only"
        yield f"{case.name} ({case.kind.value}{where}): {sizes}"


def _judged(workload: Workload) -> Iterator[str]:
    """Everything that decides whether a candidate's result is right, and what it may do."""
    yield f"tolerance: {_tolerance(workload.tolerance)}"
    for name, own in workload.tolerance.by_output.items():
        yield f"tolerance of {name}, instead of that: {_tolerance(own)}"
    if workload.oracle is OracleKind.KERNEL:
        yield "expected outputs come from the initial kernel itself"
    if workload.policy.lower_precision:
        yield "candidates may compute in a lower precision"
    if workload.policy.specialise:
        yield "candidates may be made for single sizes"
    yield f"timed with a {'cold' if workload.cold_cache else 'warm'} L2 cache"


def _tolerance(own: Tolerance) -> str:
    limits = (("rtol", own.rtol), ("atol", own.atol), ("reduction", own.reduction))
    given = ", ".join(f"{name} = {value}" for name, value in limits if value is not None)
    if own.rtol is None or own.atol is None:
        given += f"{'; the rest ' if given else ''}by dtype, length of sums and scale of the values"
    return given


def _examples(inspection: Mapping[str, Any]) -> Iterator[str]:
    examples, failed = inspection.get("examples", []), inspection.get("examples_failed", [])
    if not examples and not failed:
        yield "none: no legal size is small enough"
    for example in examples:
        yield ", ".join(f"{name} = {value}" for name, value in {**example["dims"], **example["scalars"]}.items())
        for arrow, arrays in (("", example["inputs"]), ("-> ", example["outputs"])):
            for name, values in arrays.items():
                yield f"  {arrow}{name} = {json.dumps(values)}"
    for text in failed:
        yield f"not worked out: {text}"


def _checked(draft: Draft, inspection: Mapping[str, Any], comparison: Mapping[str, Any]) -> Iterator[str]:
    yield f"on {inspection.get('device', _UNKNOWN)}"
    yield "zeros, ones, means, copies, other seeds, spoilt results and a lower precision are refused by the cases"
    for law in inspection.get("laws", []):
        yield f"holds: {law}"
    yield f"kernel.cu: {_message(inspection.get('initial'))}; at other legal sizes: {inspection.get('hidden')}"
    yield f"reference.cu, written apart: {_message(comparison.get('evaluation'))}"
    if inspection.get("elsewhere"):
        yield f"NOT run here: {', '.join(inspection['elsewhere'])} (for another kind of device)"
    disagreed = [exchange for exchange in draft.exchanges() if _of_disagreement(exchange)]
    if disagreed:
        yield f"the two implementations disagreed at first; {len(disagreed)} requests settled it: read {ORACLE} with care"
    if draft.assignment.supplied:
        yield f"your own, not generated: {', '.join(draft.assignment.supplied)}"
    took = spent(draft)
    money = _UNKNOWN if took.money_usd is None else f"{took.money_usd:.4f} USD"
    yield f"{took.requests} requests, {_shown(took.tokens_in)} tokens in, {_shown(took.tokens_out)} out, cost {money}"


def _message(evaluation: Mapping[str, Any] | None) -> str:
    return "not run" if evaluation is None else f"{evaluation['outcome']}: {evaluation['message']}".rstrip(": ")


def _of_disagreement(exchange: Exchange) -> bool:
    return "Two implementations of the description do not agree." in exchange.messages[-1].text


def _shown(number: int | None) -> str:
    return _UNKNOWN if number is None else str(number)


def _sum[N: (int, float)](numbers: list[N | None]) -> N | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
