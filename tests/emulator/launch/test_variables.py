import pytest

from warpwright.emulator.launch.variables import place_variables, placed_sizes
from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.ptx.ir import Space, Symbol, Variable
from warpwright.errors import UnsupportedInstruction

TABLE = Variable("table", Space.CONST, 4, 16, bytes(range(8)))
COUNTER = Variable("counter", Space.GLOBAL, 4, 4)
LINK = Variable("link", Space.GLOBAL, 8, 16, None, {8: Symbol("table", 4)})


def arena_for(*variables: Variable) -> Arena:
    return Arena(Arena.capacity_for(list(placed_sizes(variables))))


def test_variables_are_placed_initialised_and_linked() -> None:
    arena = arena_for(TABLE, COUNTER, LINK)
    place_variables(arena, {v.name: v for v in (LINK, TABLE, COUNTER)})
    table = arena.symbols["table"]
    assert bytes(arena.view(table)) == bytes(range(8)) + bytes(8)
    assert not table.writable
    assert arena.symbols["counter"].writable
    assert int.from_bytes(bytes(arena.view(arena.symbols["link"])[8:]), "little") == table.address + 4


def test_a_second_launch_finds_what_the_first_left() -> None:
    arena = arena_for(COUNTER)
    place_variables(arena, {"counter": COUNTER})
    arena.view(arena.symbols["counter"])[:] = 7
    place_variables(arena, {"counter": COUNTER})
    assert bytes(arena.view(arena.symbols["counter"])) == b"\x07" * 4


def test_a_pointer_to_something_else_is_refused() -> None:
    call = Variable("call", Space.GLOBAL, 8, 8, None, {0: Symbol("device_function")})
    with pytest.raises(UnsupportedInstruction) as raised:
        place_variables(arena_for(call), {"call": call})
    assert str(raised.value) == (
        "module variable call holds the address of device_function, which is no variable of the module; "
        "function pointers are not emulated. Run this candidate with --device gpu."
    )
