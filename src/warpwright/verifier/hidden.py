"""Hidden cases: dims drawn from their legal range by the session's secret (V18); no proposer sees them."""

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from warpwright.candidate.expressions import ExpressionError, evaluate
from warpwright.candidate.limits import check_limits
from warpwright.candidate.resolve import resolve_plan
from warpwright.candidate.resolved import PlanFault
from warpwright.device.protocol import Device
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.model import Case, CaseKind, DimRange, Workload

LEAST_WORK = 4096
"""Product of dims that a hidden case may reach even where the visible cases are smaller."""
_TRIES = 64
_SHAPES = ("smallest", "prime", "around a power of two", "around a visible size", "large", "any")


def draw_hidden_cases(workload: Workload, secret: str, count: int, device: Device) -> tuple[Case, ...]:
    """Up to `count` check cases that the workload does not show, the same again for the same secret.

    Each takes another shape in turn: smallest, prime, around a power of two, around a visible size, large, any. None is
    larger than the largest visible case of the device, and none breaks the initial kernel's own launch plan. Fewer come
    back where the legal range holds no more; none at all if the policy lets candidates specialise to the visible cases.
    """
    if workload.policy.specialise:
        return ()
    pool = SeedPool(secret)
    draw = _Draw(workload, device, random.Random(pool.number("hidden", workload.content_hash)))
    cases: list[Case] = []
    seen = {tuple(sorted(case.dims.items())) for case in workload.cases}
    for index in range(count):
        dims = next((d for d in draw.tries(index) if tuple(sorted(d.items())) not in seen and draw.legal(d)), None)
        if dims is None:
            continue
        seen.add(tuple(sorted(dims.items())))
        seed = pool.number("hidden seed", str(index))
        on = frozenset({device.kind})
        cases.append(
            Case(f"hidden {index + 1}", CaseKind.CHECK, MappingProxyType(dims), on, seed, MappingProxyType({}))
        )
    return tuple(cases)


@dataclass(frozen=True, slots=True)
class _Draw:
    """Draws dims for one workload on one device."""

    workload: Workload
    device: Device
    random: random.Random

    def tries(self, index: int) -> Iterator[dict[str, int]]:
        """Dims of the shape whose turn it is, then of any shape."""
        for attempt in range(_TRIES):
            shape = _SHAPES[index % len(_SHAPES)] if attempt < _TRIES // 2 else "any"
            yield self._dims(shape)

    def legal(self, dims: Mapping[str, int]) -> bool:
        """True if every array has elements, the size stays under the cap and the initial kernel can be launched."""
        if math.prod(dims.values()) > self._cap():
            return False
        try:
            sizes = [evaluate(text, dims) for array in self.workload.arrays for text in array.shape]
        except ExpressionError:
            return False
        names = [parameter.name for parameter in self.workload.parameters]
        plan = resolve_plan(self.workload.initial, dims, self.device.spec, "hidden", names)
        if min(sizes, default=1) < 1 or isinstance(plan, PlanFault):
            return False
        return all(check_limits(launch, self.device.spec, None) is None for launch in plan.launches)

    def _cap(self) -> int:
        shown = [math.prod(case.dims.values()) for case in self.workload.cases_on(self.device.kind)]
        return max([LEAST_WORK, *shown])

    def _dims(self, shape: str) -> dict[str, int]:
        dims = {name: self._size(name, legal, shape) for name, legal in self.workload.dims.items()}
        if shape == "large" and dims:
            name = self.random.choice(sorted(dims))
            rest = math.prod(size for other, size in dims.items() if other != name)
            most = self._cap() * self.random.uniform(0.75, 1.0)
            dims[name] = _clamp(int(most) // max(rest, 1), self.workload.dims[name])
        return dims

    def _size(self, name: str, legal: DimRange, shape: str) -> int:
        if shape == "smallest":
            return legal.low
        share = round(self._cap() ** (1 / len(self.workload.dims))) if shape != "any" else self._cap()
        size = self._log_uniform(legal.low, min(legal.high, max(share, legal.low)))
        if shape == "prime":
            size = next((n for n in range(size, legal.low - 1, -1) if _is_prime(n)), size)
        elif shape == "around a power of two":
            size = 2 ** round(math.log2(max(size, 1))) + self.random.choice((-1, 1))
        elif shape == "around a visible size":
            size = self.random.choice([case.dims[name] for case in self.workload.cases]) + self.random.choice((-1, 1))
        return _clamp(size, legal)

    def _log_uniform(self, low: int, high: int) -> int:
        return round(math.exp(self.random.uniform(math.log(max(low, 1)), math.log(max(high, 1)))))


def _clamp(size: int, legal: DimRange) -> int:
    return min(max(size, legal.low), legal.high)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
