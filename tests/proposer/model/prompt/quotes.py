"""Reads prompts as a careful reader would: what is ours, and what is quoted."""

import re

_OPEN = re.compile(r'<data-(?P<number>\d+) what="[^"\n]*">\n')


def outside(text: str) -> str:
    """The text without what stands between marks. Fails if a mark is not closed."""
    ours, at = [], 0
    while (opening := _OPEN.search(text, at)) is not None:
        ours.append(text[at : opening.start()])
        end = text.index(f"\n</data-{opening['number']}>", opening.end() - 1)
        at = end + len(f"\n</data-{opening['number']}>")
    return "".join([*ours, text[at:]])


def inside(text: str) -> list[str]:
    """What stands between marks, in order."""
    found, at = [], 0
    while (opening := _OPEN.search(text, at)) is not None:
        end = text.index(f"\n</data-{opening['number']}>", opening.end() - 1)
        found.append(text[opening.end() : end])
        at = end + 1
    return found
