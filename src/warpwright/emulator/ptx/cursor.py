"""A place in the token list, with the few moves a recursive-descent parser needs."""

from warpwright.emulator.ptx.lexer import Kind, PtxSyntaxError, Token, integer_value, tokens_of


class Cursor:
    """Reads tokens in order; every `expect` that fails names the PTX line."""

    def __init__(self, text: str) -> None:
        self._tokens = list(tokens_of(text))
        self._next = 0

    @property
    def token(self) -> Token:
        """The token at hand."""
        return self._tokens[self._next]

    @property
    def line(self) -> int:
        """Its PTX line."""
        return self.token.line

    @property
    def at_end(self) -> bool:
        """True behind the last token."""
        return self.token.kind is Kind.END

    def peek(self, distance: int = 1) -> Token:
        """A token further on (the last one if there are not so many)."""
        return self._tokens[min(self._next + distance, len(self._tokens) - 1)]

    def take(self) -> Token:
        """The token at hand; moves on."""
        token = self.token
        if token.kind is not Kind.END:
            self._next += 1
        return token

    def accept(self, *texts: str) -> bool:
        """Move over the token if it is one of these."""
        found = self.token.text in texts and self.token.kind is not Kind.STRING
        if found:
            self._next += 1
        return found

    def at(self, *texts: str) -> bool:
        """Whether the token is one of these."""
        return self.token.text in texts and self.token.kind is not Kind.STRING

    def expect(self, text: str) -> None:
        """Move over this token.

        Raises: PtxSyntaxError if there is another one.
        """
        if not self.accept(text):
            raise self.error(f"{text!r}")

    def expect_kind(self, kind: Kind) -> Token:
        """Take a token of this kind.

        Raises: PtxSyntaxError if there is another one.
        """
        if self.token.kind is not kind:
            raise self.error(f"a {kind}")
        return self.take()

    def integer(self) -> int:
        """Take an integer, with its sign."""
        negative = self.accept("-")
        value = integer_value(self.expect_kind(Kind.INTEGER).text)
        return -value if negative else value

    def count(self, limit: int) -> int:
        """Take an integer in 0..limit: sizes that damaged text would make absurd.

        Raises: PtxSyntaxError for another number.
        """
        token = self.token
        value = self.integer()
        if not 0 <= value <= limit:
            raise PtxSyntaxError(token.line, f"expected a number up to {limit}, found {value}")
        return value

    def skip_until(self, *texts: str) -> None:
        """Move on to one of these tokens (not over it)."""
        while not self.at(*texts):
            if self.at_end:
                raise self.error(" or ".join(repr(text) for text in texts))
            self.take()

    def skip_block(self) -> None:
        """Move over `{ ... }` with everything inside."""
        self.expect("{")
        depth = 1
        while depth:
            if self.at_end:
                raise self.error("'}'")
            depth += {"{": 1, "}": -1}.get(self.take().text, 0)

    def error(self, expected: str) -> PtxSyntaxError:
        """An error that says what was expected and what is there."""
        found = "the end" if self.at_end else repr(self.token.text)
        return PtxSyntaxError(self.line, f"expected {expected}, found {found}")

    def files(self) -> dict[int, str]:
        """Source files by number, from every `.file N "name"` (which may stand behind their use)."""
        found = {}
        for index, token in enumerate(self._tokens[:-2]):
            number, name = self._tokens[index + 1], self._tokens[index + 2]
            if token.text == ".file" and (number.kind, name.kind) == (Kind.INTEGER, Kind.STRING):
                found[integer_value(number.text)] = name.text.strip('"')
        return found
