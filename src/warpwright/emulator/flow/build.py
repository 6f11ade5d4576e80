"""PTX module to `KernelGraph`: inline, lower, bind, split, order, place."""

from collections.abc import Iterable, Mapping

from warpwright.emulator.flow.blocks import RawBlock, find_live, reverse_post_order, split_blocks
from warpwright.emulator.flow.call_parameters import lower_call_parameters
from warpwright.emulator.flow.graph import BasicBlock, KernelGraph, Node
from warpwright.emulator.flow.inlining import FlatFunction, inline
from warpwright.emulator.flow.lowering import lower
from warpwright.emulator.flow.refusal import refuse
from warpwright.emulator.ops.operands import SPECIAL_REGISTERS, flatten
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ops.table import Bound, Effect
from warpwright.emulator.ptx.ir import Instruction, Module, Space, Special, Variable

_MEMORY = frozenset({Effect.LOAD, Effect.STORE, Effect.ATOMIC, Effect.REDUCTION})
_SHARED_ALIGN = 16


def build_graph(module: Module, entry: str) -> KernelGraph:
    """The graph of one entry.

    Raises: UnsupportedInstruction naming the CUDA and PTX line of what the emulator does not execute; KeyError if the
    module has no such entry.
    """
    function = module.functions[entry]
    flat = inline(module, function)
    lower_call_parameters(flat)
    lower(flat)
    blocks = split_blocks(flat.statements, _bind(flat))
    find_live(blocks)
    ordered, memory = _ordered(blocks)
    shared = [v for v in (*module.variables.values(), *flat.variables.values()) if v.space is Space.SHARED]
    shared_offsets, shared_bytes = _place_shared(shared)
    local_offsets, local_bytes = _place(v for v in flat.variables.values() if v.space is Space.LOCAL)
    parameters = function.parameters
    return KernelGraph(
        name=entry,
        parameters=parameters,
        parameter_bytes=max((p.offset + p.size_bytes for p in parameters), default=0),
        registers=flat.registers,
        blocks=ordered,
        memory_instructions=memory,
        shared_offsets=shared_offsets,
        shared_static_bytes=shared_bytes,
        local_offsets=local_offsets,
        local_bytes=local_bytes,
        module_variables={name: v for name, v in module.variables.items() if v.space in (Space.GLOBAL, Space.CONST)},
    )


def _bind(flat: FlatFunction) -> dict[int, Bound]:
    bounds: dict[int, Bound] = {}
    for position, statement in enumerate(flat.statements):
        if isinstance(statement, Instruction):
            bound = TABLE.bind(statement)
            if bound is None:
                raise refuse(statement, statement.full_opcode)
            _refuse_unknown(statement)
            bounds[position] = bound
    return bounds


def _refuse_unknown(instruction: Instruction) -> None:
    for operand in instruction.operands:
        for part in flatten(operand):
            if isinstance(part, Special) and part.name not in SPECIAL_REGISTERS:
                raise refuse(instruction, f"%{part.name}")


def _ordered(blocks: list[RawBlock]) -> tuple[tuple[BasicBlock, ...], tuple[Node, ...]]:
    order = reverse_post_order(blocks)
    numbers = {raw: number for number, raw in enumerate(order)}
    memory: list[Node] = []
    ordered = []
    for raw in order:
        block = blocks[raw]
        nodes = []
        for instruction, bound in block.instructions:
            node = Node(instruction, bound)
            if bound.operation.effect in _MEMORY and not _is_parameter(instruction):
                node = Node(instruction, bound, len(memory))
                memory.append(node)
            nodes.append(node)
        successors = tuple(numbers[s] for s in block.successors)
        ordered.append(BasicBlock(tuple(nodes), successors, block.live_in, block.live_out))
    return tuple(ordered), tuple(memory)


def _is_parameter(instruction: Instruction) -> bool:
    return any(m.startswith("param") for m in instruction.modifiers)


def _place_shared(variables: Iterable[Variable]) -> tuple[Mapping[str, int], int]:
    """Static variables first; dynamic ones (no size) all begin where the static ones end."""
    listed = list(variables)
    offsets, end = _place(v for v in listed if v.size_bytes is not None)
    dynamic = [v for v in listed if v.size_bytes is None]
    if dynamic:
        align = max(_SHARED_ALIGN, *(v.align for v in dynamic))
        end = -(-end // align) * align
    return {**offsets, **{v.name: end for v in dynamic}}, end


def _place(variables: Iterable[Variable]) -> tuple[dict[str, int], int]:
    offsets: dict[str, int] = {}
    end = 0
    for variable in variables:
        offsets[variable.name] = -(-end // variable.align) * variable.align
        end = offsets[variable.name] + (variable.size_bytes or 0)
    return offsets, end
