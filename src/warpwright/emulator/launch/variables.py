"""Module variables (`__device__`, `__constant__`): placed in the arena, initialised, and linked to each other."""

from collections.abc import Iterable, Mapping

from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.ptx.ir import Space, Symbol, Variable
from warpwright.errors import UnsupportedInstruction


def placed_sizes(variables: Iterable[Variable]) -> tuple[int, ...]:
    """Bytes of each variable that an arena must have room for (for `Arena.capacity_for`)."""
    return tuple(variable.size_bytes or 0 for variable in variables)


def place_variables(arena: Arena, variables: Mapping[str, Variable]) -> None:
    """Give every variable an address in `arena.symbols` and its initial bytes; those already placed are left alone.

    Raises: MemoryError if the arena is full; UnsupportedInstruction if an initialiser holds a function's address.
    """
    missing = [variable for variable in variables.values() if variable.name not in arena.symbols]
    for variable in missing:
        writable = variable.space is not Space.CONST
        arena.symbols[variable.name] = arena.allocate(variable.name, variable.size_bytes or 0, writable=writable)
    for variable in missing:
        _initialise(arena, variable)


def _initialise(arena: Arena, variable: Variable) -> None:
    content = arena.view(arena.symbols[variable.name])
    content[:] = 0
    if variable.initial:
        content[: len(variable.initial)] = bytearray(variable.initial)
    for offset, symbol in variable.relocations.items():
        address = _address(arena, variable, symbol)
        content[offset : offset + 8] = bytearray(address.to_bytes(8, "little"))


def _address(arena: Arena, variable: Variable, symbol: Symbol) -> int:
    target = arena.symbols.get(symbol.name)
    if target is None:
        raise UnsupportedInstruction(
            f"module variable {variable.name} holds the address of {symbol.name}, which is no variable of the module; "
            "function pointers are not emulated. Run this candidate with --device gpu."
        )
    return target.address + symbol.offset
