"""The body of a function: scopes, declarations, labels, `.loc` and instructions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PureWindowsPath

from warpwright.emulator.ptx.cursor import Cursor
from warpwright.emulator.ptx.declarations import SPACES, WIDTHS, read_variables
from warpwright.emulator.ptx.ir import (
    Guard,
    Instruction,
    Label,
    Operand,
    Register,
    SourceLine,
    Statement,
    Symbol,
    Variable,
    Vector,
)
from warpwright.emulator.ptx.lexer import Kind, PtxSyntaxError, Token
from warpwright.emulator.ptx.operands import OperandReader
from warpwright.emulator.ptx.scope import Scope

_BRANCHES = ("bra", "brx")
_MOST_REGISTERS = 1 << 20
"""Of one declaration; compilers stay far below."""


class SourceFiles:
    """Turns the numbers of `.loc` into places in the user's source."""

    def __init__(self, names: Mapping[int, str]) -> None:
        # PureWindowsPath splits at both kinds of slash.
        self._names = {number: PureWindowsPath(name).name for number, name in names.items()}

    def place(self, number: int, line: int, inlined_at: tuple[int, int] | None) -> SourceLine | None:
        """The line, or the line that called it if it stands in a header; None if the file is unknown."""
        name = self._names.get(number)
        if inlined_at is not None and not (name or "").endswith(".cu"):
            number, line = inlined_at
            name = self._names.get(number)
        return SourceLine(name, line) if name else None


@dataclass(slots=True)
class _Placed:
    """A statement with the scopes around it, until labels are resolved."""

    statement: Statement
    path: tuple[int, ...]


class FunctionBody:
    """Reads `{ ... }` of one function into statements, registers and variables."""

    def __init__(self, cursor: Cursor, files: SourceFiles) -> None:
        self._cursor = cursor
        self._files = files
        self._scope = Scope()
        self._operands = OperandReader(cursor, self._scope)
        self._source: SourceLine | None = None
        self._placed: list[_Placed] = []
        self._targets: dict[str, tuple[Label, ...]] = {}
        self.variables: list[Variable] = []
        self.statements: list[Statement] = []

    @property
    def registers(self) -> dict[str, int]:
        """Every register of the function with its width in bits."""
        return self._scope.registers

    def read(self, parameter_names: list[str]) -> None:
        """Read from the opening brace over the closing one."""
        for name in parameter_names:
            self._scope.declare_variable(name)
        self._cursor.expect("{")
        depth = 1
        while depth:
            if self._cursor.at_end:
                raise self._cursor.error("'}'")
            if self._cursor.accept("{"):
                self._scope.enter()
                depth += 1
            elif self._cursor.accept("}"):
                depth -= 1
                if depth:
                    self._scope.leave()
            else:
                self._statement()
        self._resolve_labels()

    def _statement(self) -> None:
        cursor = self._cursor
        if cursor.accept(";"):
            return
        if cursor.token.kind is Kind.DOT:
            self._directive(cursor.take())
        elif cursor.token.kind is Kind.WORD and cursor.peek().text == ":":
            self._label()
        else:
            self._placed.append(_Placed(self._instruction(), self._scope.path))

    def _directive(self, word: Token) -> None:
        cursor = self._cursor
        if word.text == ".reg":
            self._registers()
        elif word.text in SPACES:
            self.variables += read_variables(cursor, SPACES[word.text], self._scope.declare_variable)
        elif word.text == ".loc":
            self._location()
        elif word.text == ".pragma":
            cursor.skip_until(";")
            cursor.expect(";")
        else:
            raise PtxSyntaxError(word.line, f"unknown directive {word.text!r}")

    def _registers(self) -> None:
        """`.reg .b32 %r<5>, x;` or `.reg .v4 .f32 v;`."""
        cursor, width, components = self._cursor, 0, 1
        while cursor.token.kind is Kind.DOT:
            word = cursor.take().text[1:]
            if word in ("v2", "v4"):
                components = int(word[1:])
            elif word in WIDTHS:
                width = WIDTHS[word]
            else:
                raise cursor.error(f"a register type, found {word!r} before")
        while True:
            name = cursor.expect_kind(Kind.WORD).text
            if cursor.accept("<"):
                for number in range(cursor.count(_MOST_REGISTERS)):
                    self._scope.declare_register(f"{name}{number}", width, components)
                cursor.expect(">")
            else:
                self._scope.declare_register(name, width, components)
            if not cursor.accept(","):
                break
        cursor.expect(";")

    def _location(self) -> None:
        """`.loc 1 5 0[, function_name label, inlined_at 1 7 3]`."""
        cursor = self._cursor
        number, line, _ = cursor.integer(), cursor.integer(), cursor.integer()
        inlined_at = None
        while cursor.accept(","):
            word = cursor.expect_kind(Kind.WORD).text
            if word == "inlined_at":
                inlined_at = (cursor.integer(), cursor.integer())
                cursor.integer()
            else:
                cursor.take()
                if cursor.accept("+"):
                    cursor.take()
        self._source = self._files.place(number, line, inlined_at)

    def _label(self) -> None:
        cursor = self._cursor
        name = cursor.take().text
        cursor.expect(":")
        if cursor.accept(".branchtargets"):
            self._targets[name] = tuple(self._label_list())
        elif cursor.accept(".callprototype", ".calltargets"):
            cursor.skip_until(";")
            cursor.expect(";")
        else:
            self._placed.append(_Placed(Label(name), self._scope.path))

    def _label_list(self) -> list[Label]:
        labels = []
        while True:
            labels.append(Label(self._cursor.expect_kind(Kind.WORD).text))
            if not self._cursor.accept(","):
                break
        self._cursor.expect(";")
        return labels

    def _instruction(self) -> Instruction:
        cursor, line = self._cursor, self._cursor.line
        guard = self._guard()
        opcode = cursor.expect_kind(Kind.WORD).text
        modifiers = []
        while cursor.token.kind is Kind.DOT:
            modifiers.append(cursor.take().text[1:])
        operands = self._operands.read_call() if opcode == "call" else self._operands.read_all()
        cursor.expect(";")
        if opcode in _BRANCHES:
            operands = tuple(Label(part.name) if isinstance(part, Symbol) else part for part in operands)
        return Instruction(opcode, tuple(modifiers), operands, guard, line, self._source)

    def _guard(self) -> Guard | None:
        if not self._cursor.accept("@"):
            return None
        negated = self._cursor.accept("!")
        name = self._cursor.expect_kind(Kind.WORD)
        register = self._scope.register(name.text)
        if not isinstance(register, Register):
            raise PtxSyntaxError(name.line, f"guard {name.text!r} is not a declared predicate")
        return Guard(register, negated)

    def _resolve_labels(self) -> None:
        """Give labels of equal name in different scopes different names, and every branch the one it sees."""
        unique: dict[tuple[str, tuple[int, ...]], str] = {}
        counts: dict[str, int] = {}
        for placed in self._placed:
            if isinstance(placed.statement, Label):
                name = placed.statement.name
                count = counts.get(name, 0)
                counts[name] = count + 1
                unique[name, placed.path] = f"{name}@{count}" if count else name
        for placed in self._placed:
            self.statements.append(self._resolved(placed, unique))

    def _resolved(self, placed: _Placed, unique: Mapping[tuple[str, tuple[int, ...]], str]) -> Statement:
        statement = placed.statement
        if isinstance(statement, Label):
            return Label(unique[statement.name, placed.path])
        if statement.opcode not in _BRANCHES:
            return statement

        def visible(label: Label) -> Label:
            for depth in range(len(placed.path), 0, -1):
                found = unique.get((label.name, placed.path[:depth]))
                if found is not None:
                    return Label(found)
            raise PtxSyntaxError(statement.ptx_line, f"no label {label.name!r} for this branch")

        def target(operand: Operand) -> Operand:
            if not isinstance(operand, Label):
                return operand
            if operand.name in self._targets:
                return Vector(tuple(visible(label) for label in self._targets[operand.name]))
            return visible(operand)

        return replace(statement, operands=tuple(target(operand) for operand in statement.operands))
