"""Seeds of a session: drawn from a secret that no proposer sees, the same again for whoever holds the secret (V17)."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count as count_up

from warpwright.workload.model import Case

POOL_SIZE = 8
"""Secret seeds of a case for timed launches that are verified: expected outputs are computed once and kept."""
VERIFICATION_POOL_SIZE = 4
"""Secret seeds of a case that attempts are verified with beside its own; kept likewise.

Its messages show values of these seeds, and a kernel can write what it reads; so none of them is ever under the clock.
"""


@dataclass(frozen=True, slots=True)
class SeedPool:
    """Derives seeds by SHA-256 from a secret; equal secret, case and purpose give equal seeds.

    secret: any text; a session makes a random one and keeps it outside its directory until it ends.
    """

    secret: str

    def draw(self, case: Case, identity: str, count: int) -> tuple[int, ...]:
        """Seeds for one attempt: the case's own, then count - 1 of its pool, chosen by the candidate's identity."""
        pool = self.verification_pool(case)
        start = self._number("start", case.name, identity) % len(pool)
        chosen = ((start + step) % len(pool) for step in range(min(count - 1, len(pool))))
        return (case.seed, *(pool[index] for index in chosen))

    def verification_pool(self, case: Case) -> tuple[int, ...]:
        """The secret seeds of a case that attempts draw from; a proposer may come to know their values."""
        return self._numbers("verification pool", case, VERIFICATION_POOL_SIZE)

    def clock_pool(self, case: Case) -> tuple[int, ...]:
        """The secret seeds of timed launches that are verified; nothing that anybody sees depends on their values."""
        return self._numbers("clock pool", case, POOL_SIZE)

    def stream(self, case: Case, purpose: str) -> Iterator[int]:
        """Seeds without end, outside the pools: values of launches that nobody verifies.

        purpose: names the use (attempt, contestant, round); another purpose gives other seeds, the same one the same.
        """
        return (self._number("stream", purpose, case.name, str(index)) for index in count_up())

    def fresh(self, case: Case, purpose: str, count: int) -> tuple[int, ...]:
        """Seeds outside the pools, for re-verification: never seen by any attempt before."""
        return tuple(self._number("fresh", purpose, case.name, str(index)) for index in range(count))

    def number(self, *purpose: str) -> int:
        """A secret number for another use (hidden cases)."""
        return self._number("number", *purpose)

    def _numbers(self, purpose: str, case: Case, count: int) -> tuple[int, ...]:
        return tuple(self._number(purpose, case.name, str(index)) for index in range(count))

    def _number(self, *purpose: str) -> int:
        text = "\0".join((self.secret, *purpose))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1
