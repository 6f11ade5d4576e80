"""Quantiles of Student's t for whole degrees of freedom, without SciPy (Abramowitz and Stegun 26.7.3, 26.7.4)."""

import math


def t_probability(t: float, freedom: int) -> float:
    """P(|T| <= t) for T with `freedom` degrees of freedom, t >= 0."""
    angle = math.atan2(t, math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    if freedom == 1:
        return 2.0 * angle / math.pi
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term
    for index in range(2 + odd, freedom - 1, 2):
        term *= (index - 1) / index * cosine**2
        total += term
    return 2.0 / math.pi * (angle + sine * total) if odd else sine * total


def t_quantile(confidence: float, freedom: int) -> float:
    """Half width, in standard errors, of the two-sided interval with that confidence.

    Raises: ValueError unless 0 < confidence < 1 and freedom >= 1.
    """
    if not 0.0 < confidence < 1.0 or freedom < 1:
        raise ValueError(f"confidence {confidence}, {freedom} degrees of freedom: allowed are 0..1 and 1 or more")
    low, high = 0.0, 1.0
    while t_probability(high, freedom) < confidence:
        high *= 2.0
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (middle, high) if t_probability(middle, freedom) < confidence else (low, middle)
    return (low + high) / 2.0
