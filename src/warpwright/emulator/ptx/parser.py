"""PTX text to `ir.Module`: directives, declarations, functions. Statements are read by `statements`."""

from warpwright.emulator.ptx.cursor import Cursor
from warpwright.emulator.ptx.declarations import SPACES, read_declared, read_variables
from warpwright.emulator.ptx.ir import Function, Module, Parameter, Variable
from warpwright.emulator.ptx.lexer import Kind
from warpwright.emulator.ptx.statements import FunctionBody, SourceFiles

_LINKAGE = (".visible", ".extern", ".weak", ".common")


def parse(ptx: str) -> Module:
    """Read one translation unit.

    Raises: PtxSyntaxError with the PTX line if the text is not PTX.
    """
    return _ModuleParser(ptx).parse()


class _ModuleParser:
    def __init__(self, ptx: str) -> None:
        self._cursor = Cursor(ptx)
        self._files = SourceFiles(self._cursor.files())
        self._version = ""
        self._target = ""
        self._functions: dict[str, Function] = {}
        self._variables: dict[str, Variable] = {}

    def parse(self) -> Module:
        while not self._cursor.at_end:
            self._directive()
        return Module(self._version, self._target, self._functions, self._variables)

    def _directive(self) -> None:
        cursor = self._cursor
        while cursor.accept(*_LINKAGE):
            pass
        word = cursor.expect_kind(Kind.DOT).text
        if word in (".entry", ".func"):
            self._function(is_entry=word == ".entry")
        elif word in SPACES:
            for variable in read_variables(cursor, SPACES[word], lambda name: name):
                self._variables[variable.name] = variable
        else:
            self._header(word)

    def _header(self, word: str) -> None:
        """Directives that declare nothing."""
        cursor = self._cursor
        if word == ".version":
            self._version = cursor.take().text
        elif word == ".target":
            self._target = cursor.take().text
            while cursor.accept(","):
                cursor.take()
        elif word == ".section":
            cursor.skip_until("{")
            cursor.skip_block()
        elif word in (".address_size", ".file"):
            self._skip_arguments(word)
        elif word in (".pragma", ".alias"):
            cursor.skip_until(";")
            cursor.expect(";")
        else:
            raise cursor.error(f"a module directive, found {word!r} before")

    def _skip_arguments(self, word: str) -> None:
        """`.address_size 64`; `.file 1 "a.cu"[, time, size]`: no semicolon ends them."""
        cursor = self._cursor
        cursor.take()
        if word == ".file":
            cursor.expect_kind(Kind.STRING)
            while cursor.accept(","):
                cursor.take()

    def _function(self, *, is_entry: bool) -> None:
        cursor = self._cursor
        while cursor.at(".noreturn", ".unique", ".attribute"):
            cursor.take()
        returns = self._parameters() if cursor.at("(") else ()
        name = cursor.expect_kind(Kind.WORD).text
        parameters = self._parameters() if cursor.at("(") else ()
        max_threads = self._performance_directives()
        if cursor.accept(";"):
            return  # a declaration; calls to it are resolved by name
        body = FunctionBody(cursor, self._files)
        body.read([parameter.name for parameter in (*returns, *parameters)])
        self._functions[name] = Function(
            name,
            is_entry,
            parameters,
            returns,
            body.registers,
            tuple(body.variables),
            tuple(body.statements),
            max_threads,
        )

    def _parameters(self) -> tuple[Parameter, ...]:
        """`(.param .u64 a, .param .align 8 .b8 s[32])`, laid out one behind the other by alignment."""
        cursor = self._cursor
        cursor.expect("(")
        parameters, end = [], 0
        while not cursor.accept(")"):
            if not cursor.accept(".param", ".reg"):
                raise cursor.error("'.param'")
            declared = read_declared(cursor)
            size = declared.size_bytes or 0
            offset = -(-end // declared.align) * declared.align
            parameters.append(Parameter(declared.name, size, declared.align, offset))
            end = offset + size
            cursor.accept(",")
        return tuple(parameters)

    def _performance_directives(self) -> int | None:
        """Everything between the parameters and the body; gives the most threads of a block if it is declared."""
        cursor, threads = self._cursor, None
        while not cursor.at("{", ";"):
            word = cursor.expect_kind(Kind.DOT).text
            numbers = []
            while cursor.token.kind in (Kind.INTEGER, Kind.STRING):
                numbers.append(cursor.take())
                cursor.accept(",")
            if word in (".maxntid", ".reqntid"):
                threads = 1
                for number in numbers:
                    threads *= int(number.text)
            if word == ".pragma":
                cursor.accept(";")
        return threads
