"""Evidence in the PTX that a candidate computes in less precision than the workload's parameters have (V16)."""

import re

from warpwright.verifier.evidence import SURFING_MARGIN
from warpwright.verifier.verdict import Finding
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import Workload

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NARROW = r"(?:f16x2|f16|bf16x2|bf16|tf32|e\dm\d\w*|ue\dm\d\w*)"
_BELOW_FLOAT32 = (
    re.compile(rf"\bcvt(?:\.\w+)*\.{_NARROW}\.f(?:32|64)\b"),
    re.compile(rf"\b(?:wmma\.mma|wgmma\.mma_async|mma|tcgen05\.mma)(?:[.:]+\w+)*?[.:]+{_NARROW}\b(?:[.:]+\w+)*"),
    re.compile(r"\bwmma\.mma(?:\.\w+)*\.m\d+n\d+k\d+\.f32\.f32\b(?!\.)"),  # PTX leaves out that its factors are f16
)
_BELOW_FLOAT64 = (*_BELOW_FLOAT32, re.compile(r"\bcvt(?:\.\w+)*\.f32\.f64\b"))
_FLOAT32_BYTES = 4
_SHOWN = 4


def check_precision(workload: Workload, ptx: str, margin: float | None) -> Finding | None:
    """A note that names the instructions; `suspicious.low_precision` where the result also surfs the tolerance.

    Honest kernels convert for reasons of their own, so instructions alone prove nothing; with a failed budget the outcome
    is `wrong_result` already. None if the policy allows it, or some float parameter is narrow itself.
    """
    found = lowering_instructions(workload, ptx)
    if not found:
        return None
    shown = ", ".join(found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")
    text = f"the kernel computes in less precision than its parameters have ({shown})"
    if margin is None or margin <= SURFING_MARGIN:
        return Finding("precision", None, f"{text}, well within the tolerance")
    text = (
        f"{text}, and the result uses {margin:.0%} of its error budget. Compute in the precision of the parameters, or "
        "allow `lower_precision` in the workload's [policy]."
    )
    return Finding("precision", "suspicious.low_precision", text)


def lowering_instructions(workload: Workload, ptx: str) -> tuple[str, ...]:
    """Distinct instructions that round to less than the narrowest float parameter, in the order of the PTX."""
    sizes = [e.size_bytes for e in (element_type(p.dtype) for p in workload.parameters) if e.is_float]
    if workload.policy.lower_precision or not sizes or min(sizes) < _FLOAT32_BYTES:
        return ()
    patterns = _BELOW_FLOAT32 if min(sizes) == _FLOAT32_BYTES else _BELOW_FLOAT64
    text = _COMMENT.sub(" ", ptx)
    hits = sorted((match.start(), match.group()) for pattern in patterns for match in pattern.finditer(text))
    return tuple(dict.fromkeys(instruction for _, instruction in hits))
