"""`const` and `__restrict__` on pointer parameters."""

from warpwright.candidate.source import SourceParameter
from warpwright.candidate.source_edit import Edit, insert_before
from warpwright.candidate.source_nodes import of_type, text_of
from warpwright.proposer.strategist.rewriting.subject import Subject


def restrict_edits(subject: Subject) -> list[Edit]:
    """`__restrict__` for every pointer parameter without it, `const` for those that nothing could write through.

    Empty if two parameters may overlap, or nothing is left to add.
    """
    if not subject.distinct_arrays:
        return []
    edits: list[Edit] = []
    for parameter in subject.kernel.function.parameters:
        if parameter.pointer and not parameter.restrict:
            edits += _edits(subject, parameter)
    return edits


def _edits(subject: Subject, parameter: SourceParameter) -> list[Edit]:
    name = next((n for n in of_type(parameter.node, "identifier") if text_of(n) == parameter.name), None)
    pointers = list(of_type(parameter.node, "pointer_declarator"))
    if name is None or len(pointers) != 1 or "volatile" in parameter.text:
        return []
    star = name.parent is not None and name.parent.type == "pointer_declarator" and text_of(name.parent).startswith("*")
    if not star:
        return []
    edits = [insert_before(name, "__restrict__ ")]
    if not parameter.const and _only_read(subject, parameter.name):
        edits.append(insert_before(parameter.node, "const "))
    return edits


def _only_read(subject: Subject, name: str) -> bool:
    """True if every access through the parameter is a plain load and no other pointer is made from it."""
    if any(alias.base == name for alias in subject.kernel.arrays.aliases.values()):
        return False
    found = [a for a in subject.kernel.arrays.accesses(subject.kernel.function.body) if a.base == name]
    return bool(found) and not any(access.writes for access in found)
