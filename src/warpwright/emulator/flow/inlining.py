"""Device functions are inlined at every call: what is left is one flat list of statements."""

from dataclasses import dataclass, field, replace

from warpwright.emulator.flow.names import Renaming, instruction_like
from warpwright.emulator.flow.refusal import refuse
from warpwright.emulator.ptx.ir import Function, Instruction, Label, Module, Space, Statement, Symbol, Variable, Vector

_PRINT = "vprintf"
_TRAPS = ("__assertfail",)


@dataclass(slots=True)
class FlatFunction:
    """An entry with everything inlined. call_parameters: variables of space `.param` that carried arguments."""

    statements: list[Statement] = field(default_factory=list)
    registers: dict[str, int] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    call_parameters: dict[str, Variable] = field(default_factory=dict)


def inline(module: Module, entry: Function) -> FlatFunction:
    """All calls of an entry resolved. Raises: UnsupportedInstruction for recursion and indirect calls."""
    inliner = _Inliner(module)
    inliner.expand(entry, Renaming("", {v.name: v.name for v in entry.variables}), (entry.name,), None)
    return inliner.flat


class _Inliner:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._copies = 0
        self.flat = FlatFunction()

    def expand(self, function: Function, renaming: Renaming, stack: tuple[str, ...], after: Label | None) -> None:
        """Append a function's statements. after: where `ret` goes; None in the entry, where it ends the thread."""
        flat = self.flat
        flat.registers.update({name + renaming.suffix: width for name, width in function.registers.items()})
        for variable in function.variables:
            name = renaming.symbols.get(variable.name, variable.name)
            place = flat.call_parameters if variable.space is Space.PARAM else flat.variables
            place[name] = replace(variable, name=name)
        for statement in function.body:
            renamed = renaming.statement(statement)
            if isinstance(renamed, Instruction) and renamed.opcode == "call":
                self._call(renamed, stack)
            elif isinstance(renamed, Instruction) and renamed.opcode == "ret":
                opcode, operands = ("bra.uni", (after,)) if after else ("exit", ())
                flat.statements.append(instruction_like(renamed, opcode, operands))
            else:
                flat.statements.append(renamed)

    def _call(self, call: Instruction, stack: tuple[str, ...]) -> None:
        results, callee, arguments = call.operands
        assert isinstance(results, Vector)
        assert isinstance(arguments, Vector)
        name = callee.name if isinstance(callee, Symbol) else ""
        if name == _PRINT:
            self.flat.statements.append(instruction_like(call, "print", ()))
            return
        if name in _TRAPS:
            self.flat.statements.append(instruction_like(call, "trap", ()))
            return
        function = self._module.functions.get(name)
        if function is None:
            what = f"a call to {name}, which has no body here" if name else "an indirect call"
            raise refuse(call, what)
        if name in stack:
            raise refuse(call, f"recursion of {name}")
        self._copies += 1
        self._inline_call(call, function, (*results.items, *arguments.items), stack)

    def _inline_call(
        self, call: Instruction, function: Function, carriers: tuple[object, ...], stack: tuple[str, ...]
    ) -> None:
        suffix = f"#{self._copies}"
        formal = [p.name for p in (*function.returns, *function.parameters)]
        symbols = {
            name: carrier.name for name, carrier in zip(formal, carriers, strict=False) if isinstance(carrier, Symbol)
        }
        for variable in function.variables:
            shared = variable.space is Space.SHARED  # one instance per block, however often the function is inlined
            symbols[variable.name] = f"{function.name}.{variable.name}" if shared else variable.name + suffix
        behind = Label(f"return{suffix}")
        if call.guard is not None:  # lanes without the guard go around the body
            skip = instruction_like(call, "bra", (behind,))
            guard = replace(call.guard, negated=not call.guard.negated)
            self.flat.statements.append(replace(skip, guard=guard))
        self.expand(function, Renaming(suffix, symbols), (*stack, function.name), behind)
        self.flat.statements.append(behind)
