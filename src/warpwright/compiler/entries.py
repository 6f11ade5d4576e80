"""Which symbol of the binary each asked-for kernel is."""

import re
from collections.abc import Iterable, Mapping

_PTX_ENTRY = re.compile(r"\.entry\s+([A-Za-z_$%][\w$]*)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def is_expression(entry: str) -> bool:
    """True for what NVRTC must lower itself: templates, namespaces (`kernel<float, 4>`, `ns::kernel`)."""
    return _IDENTIFIER.fullmatch(entry) is None


def entry_symbols(ptx: str) -> tuple[str, ...]:
    """Symbols of the kernels in PTX, in order."""
    return tuple(_PTX_ENTRY.findall(ptx))


def readable_name(symbol: str) -> str:
    """The source name in a mangled symbol (`_Z6kernelPf` -> `kernel`, `_ZN5inner4zeroEPi` -> `inner::zero`); else unchanged.

    Source: Itanium C++ ABI, 5.1.2: `_Z <length> <identifier> ...`, `_ZN (<length> <identifier>)+ E ...`.
    """
    nested = symbol.startswith("_ZN")
    position = 3 if nested else 2
    parts: list[str] = []
    while symbol.startswith("_Z") and (length := re.match(r"\d+", symbol[position:])):
        start = position + length.end()
        position = start + int(length[0])
        parts.append(symbol[start:position])
        if not nested:
            break
    return "::".join(parts) or symbol


def match_entries(entries: Iterable[str], ptx: str, lowered: Mapping[str, str]) -> dict[str, str] | str:
    """Entry -> symbol for all of them, or what to tell the author about the first that is not there."""
    symbols = entry_symbols(ptx)
    matched: dict[str, str] = {}
    for entry in entries:
        if entry in lowered:
            matched[entry] = lowered[entry]
            continue
        candidates = [s for s in symbols if s == entry] or [s for s in symbols if readable_name(s) == entry]
        if len(candidates) != 1:
            return _not_found(entry, candidates, symbols)
        matched[entry] = candidates[0]
    return matched


def _not_found(entry: str, candidates: list[str], symbols: tuple[str, ...]) -> str:
    if candidates:
        overloads = ", ".join(sorted(candidates))
        return f'kernel "{entry}" is overloaded: {overloads}. Declare the one that is meant as extern "C".'
    names = ", ".join(sorted({readable_name(s) for s in symbols}))
    found = f"the source has {names}" if names else "the source has no kernel"
    return (
        f'no __global__ function "{entry}"; {found}. Use that name as entry, declare it extern "C", '
        f"or name a template with its arguments: {entry}<float>."
    )
