"""One report of compute-sanitizer, read from XML or text, before anything is made of it."""

from dataclasses import dataclass

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in device code. function: as the tool prints it, mangled where it was asked to. line: None unknown."""

    function: str
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """text: all that the tool says of it, its headline first. places: the access, its callers, for a race both accesses.

    about_device: False for what is said of host calls, leaks or the tool itself.
    """

    text: str
    places: tuple[Place, ...] = ()
    block: Dim3 | None = None
    thread: Dim3 | None = None
    warning: bool = False
    about_device: bool = True


@dataclass(frozen=True, slots=True)
class Summary:
    """The last line of a log. errors, warnings: as counted by the tool, beyond its print limit too."""

    errors: int
    warnings: int
    said: str
