"""The best-so-far curve as coordinates; the template draws it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from warpwright.report.findings import Findings
from warpwright.report.words import time_text

WIDTH, HEIGHT = 900, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 92, 16, 16, 44
_MAX_X_LABELS = 12
_STEPS = (1, 2, 5)
_PAD = 1.15
"""Room above and below the data, as a factor of time."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled position on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Dot:
    """One attempt; `text` is its tooltip. mark: passed, incumbent or failed."""

    x: float
    y: float
    mark: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A drawing of WIDTH x HEIGHT: the best-so-far line as an SVG path, attempts, axes. floor_y: None = unknown."""

    path: str
    dots: Sequence[Dot]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    left: float
    right: float
    bottom: float
    floor_y: float | None


def best_so_far(found: Findings) -> Curve | None:
    """The curve of a session over its attempts, time on a log scale; None if no attempt has a time."""
    times = [a.evaluation.geomean_us for a in found.attempts if a.evaluation.geomean_us is not None]
    if not times:
        return None
    floor_us = found.best_us * found.floor_ratio if found.best_us and found.floor_ratio else None
    low = min([*times, floor_us] if floor_us else times) / _PAD
    scale = _Scale(len(found.attempts), low, max(times) * _PAD)
    bottom = HEIGHT - _BOTTOM
    return Curve(
        path=_path(found, scale),
        dots=[_dot(found, number, scale) for number in range(1, len(found.attempts) + 1)],
        x_ticks=[Tick(scale.x(n), str(n)) for n in _x_labels(len(found.attempts))],
        y_ticks=[
            Tick(scale.y(us), time_text(us, estimated=False)) for us in _decade_steps(scale.low_us, scale.high_us)
        ],
        left=_LEFT,
        right=WIDTH - _RIGHT,
        bottom=bottom,
        floor_y=scale.y(floor_us) if floor_us else None,
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    attempts: int
    low_us: float
    high_us: float

    def x(self, number: int) -> float:
        span = WIDTH - _LEFT - _RIGHT
        return round(_LEFT + span * (number - 0.5) / self.attempts, 1)

    def y(self, us: float) -> float:
        span = HEIGHT - _TOP - _BOTTOM
        part = math.log(us / self.low_us) / math.log(self.high_us / self.low_us)
        return round(HEIGHT - _BOTTOM - span * part, 1)


def _path(found: Findings, scale: _Scale) -> str:
    steps: list[str] = []
    for number in found.incumbents:
        us = found.attempts[number - 1].evaluation.geomean_us
        if us is not None:
            steps.append(f"H{scale.x(number)} V{scale.y(us)}" if steps else f"M{scale.x(number)} {scale.y(us)}")
    return " ".join([*steps, f"H{WIDTH - _RIGHT}"]) if steps else ""


def _dot(found: Findings, number: int, scale: _Scale) -> Dot:
    evaluation = found.attempts[number - 1].evaluation
    us = evaluation.geomean_us
    if us is None:
        return Dot(scale.x(number), HEIGHT - _BOTTOM, "failed", number, f"attempt {number}: {evaluation.label}")
    mark = "incumbent" if number in found.incumbents else "passed"
    text = f"attempt {number}: {evaluation.label}, {time_text(us, estimated=found.estimated)}"
    return Dot(scale.x(number), scale.y(us), mark, number, text)


def _x_labels(count: int) -> list[int]:
    stride = next(s for exponent in range(9) for s in (m * 10**exponent for m in _STEPS) if count / s <= _MAX_X_LABELS)
    return sorted({1, *range(stride, count + 1, stride)})


def _decade_steps(low: float, high: float) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = [m * 10.0**exponent for exponent in range(first, last + 1) for m in _STEPS]
    inside = [step for step in steps if low <= step <= high]
    return inside if len(inside) >= 2 else [low * _PAD, high / _PAD]
