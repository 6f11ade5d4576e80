"""Basic blocks: instructions by their effect. `endings` writes the transfer to the next block."""

import ctypes

from warpwright.emulator.flow.graph import KernelGraph, Node
from warpwright.emulator.jit.codegen.accesses import Accesses, Request
from warpwright.emulator.jit.codegen.atomics import emit_atomic
from warpwright.emulator.jit.codegen.builder import LlvmBuilder
from warpwright.emulator.jit.codegen.emitter import Emitter, Lanes, scalar_type
from warpwright.emulator.jit.codegen.layout import Layout
from warpwright.emulator.jit.codegen.operands import Operands, SpecialValues
from warpwright.emulator.jit.codegen.registers import Registers
from warpwright.emulator.jit.codegen.target import HostCpu
from warpwright.emulator.jit.context import Context, Site, offset
from warpwright.emulator.ops.access import Access, access_of
from warpwright.emulator.ops.builder import LaneType, integer
from warpwright.emulator.ops.operands import input_operands, result_operands, sign_extends
from warpwright.emulator.ops.table import Effect
from warpwright.emulator.ptx.ir import Guard, Operand, Register, Space, Symbol
from warpwright.errors import UnsupportedInstruction

FAULT_LABEL = "fault"
"""Where a request goes after the runtime has recorded its fault."""

_NOTHING = frozenset({Effect.WARP_BARRIER, Effect.FENCE, Effect.NOTHING, Effect.PRINT})
"""One host thread runs all lanes in order: memory is always consistent, and text goes nowhere."""


class Block:
    """The code of one basic block. mask: i32 of the lanes in it; active: the same as I1."""

    def __init__(self, graph: KernelGraph, layout: Layout, emitter: Emitter, cpu: HostCpu, number: int) -> None:
        self.number = number
        self.graph = graph
        self.layout = layout
        self.emitter = emitter
        emitter.begin(f"b{number}")
        self.mask = emitter.assign("load i32, ptr %mask")
        self.builder = LlvmBuilder(emitter, has_f16c=cpu.has_f16c)
        self.builder.registers = SpecialValues(self.builder)
        self.active = self.builder.lanes_of(self.mask)
        self.registers = Registers(self.builder, layout, masked_stores=cpu.has_masked_stores)
        self.operands = Operands(graph, self.builder, self.registers)
        self._accesses = Accesses(self.builder, self.operands)
        self._actions = {
            Effect.PURE: self._compute,
            Effect.LOAD: self._load,
            Effect.STORE: self._store,
            Effect.ATOMIC: self._atomic,
            Effect.REDUCTION: self._atomic,
        }

    def count(self) -> None:
        """Count this execution, its lanes, and its instructions against the budget."""
        emitter = self.emitter
        emitter.add_to("%executions", 16 * self.number, "1")
        lanes = emitter.call("llvm.ctpop.i32", "i32", ("i32", self.mask))
        emitter.add_to("%executions", 16 * self.number + 8, emitter.assign(f"zext i32 {lanes} to i64"))
        emitter.add_to("%context", offset(Context, "budget"), str(-len(self.graph.blocks[self.number].nodes)))

    def execute(self, node: Node) -> None:
        """One instruction that does not end the block.

        Raises: UnsupportedInstruction, without the source line.
        """
        effect = node.bound.operation.effect
        if effect in _NOTHING:
            return
        if effect not in self._actions:
            raise UnsupportedInstruction(f"effect {effect}")
        self._actions[effect](node)

    def guard_lanes(self, guard: Guard | None) -> Lanes | None:
        """I1 of the lanes that a guard lets through, whether active or not; None without a guard."""
        if guard is None:
            return None
        lanes = self.registers.read(guard.register.name, LaneType.I1)
        return self.builder.not_(lanes) if guard.negated else lanes

    def guarded_mask(self, guard: Guard | None) -> str:
        """i32 of the active lanes that a guard lets through."""
        lanes = self.guard_lanes(guard)
        if lanes is None:
            return self.mask
        return self.emitter.assign(f"and i32 {self.builder.mask_of(lanes)}, {self.mask}")

    def write_back(self) -> None:
        """Store what later blocks read."""
        self.registers.write_back(self.graph.blocks[self.number].live_out, self.mask, self.active)

    def _compute(self, node: Node) -> None:
        bound, instruction = node.bound, node.instruction
        guard = self.guard_lanes(instruction.guard)
        self.builder.executing = self.active if guard is None else self.builder.and_(self.active, guard)
        kinds = bound.operation.signature(bound.form).inputs
        operands = input_operands(instruction)
        inputs = [self.operands.read(operand, kind) for operand, kind in zip(operands, kinds, strict=True)]
        results = bound.evaluate(self.builder, *inputs)
        signed = sign_extends(bound)
        for operand, value in zip(result_operands(instruction), results, strict=False):
            self._write(operand, value, guard, signed=signed)

    def _write(self, operand: Operand, value: Lanes, guard: Lanes | None, *, signed: bool) -> None:
        if isinstance(operand, Register):
            self.registers.write(operand.name, value, signed=signed, guard=guard)

    def _load(self, node: Node) -> None:
        access = access_of(node.bound, node.instruction)
        guard = self.guard_lanes(node.instruction.guard)
        values = self._load_parameter(access) if access.space is Space.PARAM else self._guarded_load(node, access)
        for operand, value in zip(access.elements, values, strict=True):
            self._write(operand, value, guard, signed=access.signed)

    def _guarded_load(self, node: Node, access: Access) -> tuple[Lanes, ...]:
        """A load; without lanes it is skipped and gives zeros, which the guard then drops."""
        request = self._request(node, access)
        if node.instruction.guard is None:
            return self._accesses.load(request)
        before, join = self._skip_if_empty(request.mask)
        values = self._accesses.load(request)
        after = self.emitter.current
        self._rejoin(join)
        return tuple(self._or_zero(value, before, after) for value in values)

    def _or_zero(self, value: Lanes, before: str, after: str) -> Lanes:
        text = f"phi {self.builder.type_of(value.kind)} [ zeroinitializer, %{before} ], [ {value.text}, %{after} ]"
        return self.builder.emit(value.kind, text)

    def _skip_if_empty(self, mask: str) -> tuple[str, str]:
        """Branch round what follows if no lane takes part; labels: where the branch is, where it goes."""
        emitter = self.emitter
        before, some, join = emitter.current, emitter.label("some"), emitter.label("skip")
        emitter.branch(emitter.assign(f"icmp eq i32 {mask}, 0"), join, some)
        emitter.begin(some)
        return before, join

    def _rejoin(self, join: str) -> None:
        self.emitter.jump(join)
        self.emitter.begin(join)

    def _load_parameter(self, access: Access) -> tuple[Lanes, ...]:
        """Elements of the parameter block, the same in all lanes."""
        base = access.address.base
        if not isinstance(base, Symbol):
            raise UnsupportedInstruction("a computed parameter address")
        start = next((p.offset for p in self.graph.parameters if p.name == base.name), None)
        if start is None:
            raise UnsupportedInstruction(f"parameter {base.name}")
        kind = integer(access.element.bits)
        place = start + base.offset + access.address.offset
        return tuple(
            self.builder.splat(
                self.emitter.load(scalar_type(kind), "%parameters", place + part * access.element_bytes, align=1), kind
            )
            for part in range(len(access.elements))
        )

    def _store(self, node: Node) -> None:
        access = access_of(node.bound, node.instruction)
        kind = integer(access.element.bits)
        values = tuple(self.operands.read(operand, kind) for operand in access.elements)
        request = self._request(node, access)
        if node.instruction.guard is None:
            self._accesses.store(request, values)
            return
        _, join = self._skip_if_empty(request.mask)
        self._accesses.store(request, values)
        self._rejoin(join)

    def _atomic(self, node: Node) -> None:
        access, bound = access_of(node.bound, node.instruction), node.bound
        guard = self.guard_lanes(node.instruction.guard)
        request = self._request(node, access)
        kinds = bound.operation.signature(bound.form).inputs[1:]
        values = [self.operands.read(operand, kind) for operand, kind in zip(access.operands, kinds, strict=True)]
        if guard is None:
            old = emit_atomic(request, bound, values, self.builder, self._accesses)
        else:
            before, join = self._skip_if_empty(request.mask)
            old = emit_atomic(request, bound, values, self.builder, self._accesses)
            after = self.emitter.current
            self._rejoin(join)
            old = self._or_zero(old, before, after)
        if access.result is not None:
            self._write(access.result, old, guard, signed=False)

    def _request(self, node: Node, access: Access) -> Request:
        """A request; everything that it reads is read here, before any branch round it."""
        assert node.memory_index is not None, node
        addresses = self._accesses.addresses(access)
        mask = self.guarded_mask(node.instruction.guard)
        site = self.emitter.address("%sites", node.memory_index * ctypes.sizeof(Site))
        return Request(access, addresses, mask, site, FAULT_LABEL)
