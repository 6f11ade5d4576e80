"""Names inside a function: registers, variables and labels of nested `{ }` scopes, made unique."""

from warpwright.emulator.ptx.ir import Operand, Register, Vector

_COMPONENTS = "xyzw"


class Scope:
    """A stack of nested scopes. `registers` collects name -> width in bits of the whole function."""

    def __init__(self) -> None:
        self.registers: dict[str, int] = {}
        self._operands: list[dict[str, Operand]] = [{}]
        self._variables: list[dict[str, str]] = [{}]
        self._taken: dict[str, int] = {}
        self._path: list[int] = [0]
        self._scopes = 0

    def enter(self) -> None:
        """Open a scope."""
        self._scopes += 1
        self._path.append(self._scopes)
        self._operands.append({})
        self._variables.append({})

    def leave(self) -> None:
        """Close the innermost scope."""
        self._path.pop()
        self._operands.pop()
        self._variables.pop()

    @property
    def path(self) -> tuple[int, ...]:
        """Numbers of the open scopes, the outermost first."""
        return tuple(self._path)

    def declare_register(self, name: str, width: int, components: int = 1) -> None:
        """A register, or a vector of `components` registers."""
        unique = self._unique(name)
        if components == 1:
            self.registers[unique] = width
            self._operands[-1][name] = Register(unique)
            return
        parts = [f"{unique}.{axis}" for axis in _COMPONENTS[:components]]
        for axis, part in zip(_COMPONENTS, parts, strict=False):
            self.registers[part] = width
            self._operands[-1][f"{name}.{axis}"] = Register(part)
        self._operands[-1][name] = Vector(tuple(Register(part) for part in parts))

    def declare_variable(self, name: str) -> str:
        """A variable's unique name."""
        unique = self._unique(name)
        self._variables[-1][name] = unique
        return unique

    def register(self, name: str) -> Operand | None:
        """The register (or vector) that a name means here."""
        return next((names[name] for names in reversed(self._operands) if name in names), None)

    def variable(self, name: str) -> str:
        """The unique name of a variable of this function, or the name itself (module scope)."""
        return next((names[name] for names in reversed(self._variables) if name in names), name)

    def _unique(self, name: str) -> str:
        count = self._taken.get(name, 0)
        self._taken[name] = count + 1
        return f"{name}@{count}" if count else name
