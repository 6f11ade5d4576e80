"""Durations as people write them: `90`, `90s`, `10m`, `1h30m`."""

import re

from warpwright.errors import UsageError

_PART = re.compile(r"(\d+(?:\.\d+)?)(h|m|s)?")
_AGE = re.compile(r"(\d+(?:\.\d+)?)([dh])")
_AGE_SECONDS = {"d": 86400.0, "h": 3600.0}
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, None: 1.0}


def parse_duration(text: str | None, option: str = "--time-limit") -> float | None:
    """Seconds; None stays None. Raises: UsageError naming the option, what was found and what is allowed."""
    if text is None:
        return None
    compact = text.strip().lower().replace(" ", "")
    parts = list(_PART.finditer(compact))
    if not parts or "".join(p.group() for p in parts) != compact:
        raise UsageError(f"{option} {text!r} is no duration. Write seconds or units: 90, 90s, 10m, 1h30m.")
    seconds = sum(float(p[1]) * _SECONDS[p[2]] for p in parts)
    if seconds <= 0:
        raise UsageError(f"{option} {text!r} is zero. Give a positive duration such as 10m.")
    return seconds


def parse_age(option: str, text: str) -> float:
    """Seconds of an age such as `30d` or `12h`; `0d` = any age is too old. Raises: UsageError naming the option."""
    found = _AGE.fullmatch(text.strip().lower())
    if found is None:
        raise UsageError(f"{option} {text!r} is no age. Write days or hours: 30d, 12h.")
    return float(found[1]) * _AGE_SECONDS[found[2]]
