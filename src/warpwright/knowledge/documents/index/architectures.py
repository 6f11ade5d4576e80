"""Which GPU architectures a section is about."""

import re
from typing import Final

from warpwright.errors import InputError

KNOWN: Final = (80, 86, 89, 90, 100, 120)
_WORDS: Final = {
    "ampere": (80, 86),
    "ada": (89,),
    "hopper": (90,),
    "blackwell": (100, 120),
    "wgmma": (90,),
    "setmaxnreg": (90,),
    "tcgen05": (100,),
}
_WORD: Final = re.compile(r"[a-z0-9]+")
_CAPABILITY: Final = re.compile(r"compute capability (\d+)\.(\d+|x)", re.IGNORECASE)
_ASKED: Final = re.compile(r"(?:(?:sm|compute)_)?(\d{2,3})[af]?|(\d{1,2})\.(\d)")
_OLDEST, _NEWEST = 20, KNOWN[-1] + 9
"""Of architectures that there are or that are of the newest family."""
_SM: Final = re.compile(r"\bsm_(\d{2,3})[af]?\b", re.IGNORECASE)


def architectures(titles: str) -> tuple[int, ...]:
    """Architectures named by the titles of a section, those above it and its book; () = every one."""
    found = {tag for word in _WORD.findall(titles.lower()) for tag in _WORDS.get(word, ())}
    for major, minor in _CAPABILITY.findall(titles):
        if minor == "x":
            found |= {tag for tag in KNOWN if tag // 10 == int(major)}
        else:
            found |= {int(major) * 10 + int(minor)} & set(KNOWN)
    found |= {int(number) for number in _SM.findall(titles)} & set(KNOWN)
    return tuple(sorted(found))


def asked_architecture(text: str) -> int:
    """The number that a person means by `sm_90`, `sm_90a`, `9.0` or `90`. Raises: InputError for what is none of a GPU."""
    match = _ASKED.fullmatch(text.strip().lower())
    number = int("".join(filter(None, match.groups()))) if match else 0
    if not _OLDEST <= number <= _NEWEST:
        known = ", ".join(f"sm_{tag}" for tag in KNOWN)
        raise InputError(
            f"--arch {text!r} is no GPU architecture. Write it as sm_90 or 9.0; documents are marked for {known}."
        )
    return number


def nearest(arch: str | int) -> int | None:
    """The known architecture that `sm_90a`, `9.0` or 90 stands for (121 -> 120, 87 -> 86); None = none, do not filter."""
    digits = re.sub(r"[^0-9]", "", str(arch))
    if not digits:
        return None
    return max((tag for tag in KNOWN if tag <= int(digits)), default=None)
