"""State that a module could carry from launch to launch: writable globals and the device heap, read from the PTX (V27)."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from warpwright.verifier.verdict import Finding

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME = re.compile(r"[%$A-Za-z_][\w$]*")
_GLOBAL = re.compile(r"(?:^|\s)\.global\b(?P<rest>[^=]*)")
_DECORATION = re.compile(r"\.attribute\s*\([^)]*\)|\.\w+|\[[^\]]*\]|\b\d+\b")
_FUNCTION = re.compile(r"(?:^|\s)\.(?:entry|func)\b")
_LABEL_OR_PREDICATE = re.compile(r"^\s*(?:[$\w]+\s*:(?!:)\s*)*(?:@!?\s*[%$\w]+\s+)?")
_ADDRESS = re.compile(r"\[([^\]]*)\]")
_STORES = frozenset({"st", "atom", "red", "cp", "multimem", "stmatrix"})
_NO_ADDRESS = frozenset({"ld", "ldu", "setp", "set", "isspacep", "testp"})
"""Opcodes whose result is not an address made from their operands."""
_OUTLIVING_CALLS = {"malloc": "the device heap", "free": "the device heap", "vprintf": "the printf buffer"}


@dataclass(frozen=True, slots=True)
class ModuleState:
    """writable: module-scope `.global` variables that some instruction may write. calls: to heap and printf."""

    writable: tuple[str, ...]
    calls: tuple[str, ...]


def check_module(ptx: str) -> Finding | None:
    """What is wrong with a module that can remember between launches; None for one that cannot."""
    state = module_state(ptx)
    if state.calls:
        places = sorted({_OUTLIVING_CALLS[name] for name in state.calls})
        text = (
            f"the kernel calls {', '.join(state.calls)}: {' and '.join(places)} outlives a launch. "
            "Declare [[kernel.scratch]] and take it as a parameter."
        )
        return Finding("module_state", "invalid_plan.policy", text)
    if state.writable:
        text = (
            f"the module has writable global memory ({', '.join(state.writable)}) that could carry results from one launch "
            "to the next. Declare [[kernel.scratch]] and take it as a parameter, or make it const or __constant__."
        )
        return Finding("module_state", "suspicious.writable_global", text)
    return None


def module_state(ptx: str) -> ModuleState:
    """Follow each global's address through registers to the instructions that use it.

    Read-only tables (`static const`) are not accused: a symbol counts as writable only if its address reaches a store, an
    atomic, a call or memory itself, beyond which it cannot be followed.
    """
    text = _STRING.sub('""', _COMMENT.sub(" ", ptx))
    declarations, bodies = _split(text)
    symbols = {name for declaration in declarations if (name := _declared(declaration)) is not None}
    writable: set[str] = set()
    calls: set[str] = set()
    for body in bodies:
        instructions = [_Instruction.parse(statement) for statement in body.split(";")]
        writable |= _written(instructions, symbols)
        calls |= {n for i in instructions if i.kind == "call" for n in i.names if n in _OUTLIVING_CALLS}
    return ModuleState(tuple(sorted(writable)), tuple(sorted(calls)))


@dataclass(frozen=True, slots=True)
class _Instruction:
    """kind: opcode up to its first dot. target: names in the first operand. names: every name in the operands."""

    kind: str
    operands: str

    @staticmethod
    def parse(statement: str) -> "_Instruction":
        bare = _LABEL_OR_PREDICATE.sub("", statement.lstrip("{} \t\r\n"))
        opcode, _, operands = bare.partition(" ")
        return _Instruction(opcode.strip().split(".")[0], operands)

    @property
    def names(self) -> list[str]:
        return _NAME.findall(self.operands)

    @property
    def target(self) -> list[str]:
        text = self.operands.lstrip()
        end = text.find("}" if text.startswith("{") else ",")
        return _NAME.findall(text if end < 0 else text[:end])


def _written(instructions: Sequence[_Instruction], symbols: Collection[str]) -> set[str]:
    """Symbols whose address some instruction writes through or lets escape; registers are followed to a fixed point."""
    roots: dict[str, set[str]] = defaultdict(set)
    for symbol in symbols:
        roots[symbol].add(symbol)
    changed = True
    while changed:
        changed = False
        for instruction in instructions:
            if instruction.kind in _STORES or instruction.kind in _NO_ADDRESS or instruction.kind == "call":
                continue
            reached: set[str] = set().union(*(roots.get(name, set()) for name in instruction.names))
            for name in instruction.target if reached else ():
                if not reached <= roots[name]:
                    roots[name] |= reached
                    changed = True
    uses = (n for i in instructions if i.kind in _STORES or i.kind == "call" for n in _used(i))
    return set().union(*(roots.get(name, set()) for name in uses))


def _used(instruction: _Instruction) -> Iterator[str]:
    """Names through which an instruction writes, or whose value it lets out of sight."""
    addresses = _ADDRESS.findall(instruction.operands)
    if instruction.kind == "cp" and addresses:  # an asynchronous copy writes its first address and reads its second
        yield from _NAME.findall(addresses[0])
    else:
        yield from instruction.names


def _declared(declaration: str) -> str | None:
    match = None if _FUNCTION.search(declaration) else _GLOBAL.search(declaration)
    names = _NAME.findall(_DECORATION.sub(" ", match["rest"])) if match else []
    return names[-1] if names else None


def _split(text: str) -> tuple[list[str], list[str]]:
    """Module-scope statements, and the bodies of all functions."""
    declarations: list[str] = []
    bodies: list[str] = []
    start = depth = 0
    opened = -1
    for match in re.finditer(r"[{};]", text):
        sign, at = match.group(), match.start()
        if sign == "{":
            if depth == 0 and _FUNCTION.search(text, start, at):
                opened = at
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0 and opened >= 0:
                bodies.append(text[opened + 1 : at])
                start, opened = at + 1, -1
        elif depth == 0:
            declarations.append(text[start:at])
            start = at + 1
    return declarations, bodies
