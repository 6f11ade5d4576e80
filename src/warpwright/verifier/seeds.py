"""Seeds of a session: drawn from a secret that no proposer sees, the same again for whoever holds the secret (V17)."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count as count_up

from warpwright.workload.model import Case

POOL_SIZE = 8
"""Secret seeds per case that attempts and verified timed launches share: expected outputs are computed once and kept."""


@dataclass(frozen=True, slots=True)
class SeedPool:
    """Derives seeds by SHA-256 from a secret; equal secret, case and purpose give equal seeds.

    secret: any text; a session makes a random one and keeps it outside its directory until it ends.
    """

    secret: str

    def draw(self, case: Case, identity: str, count: int) -> tuple[int, ...]:
        """Seeds for one attempt: the case's own, then count - 1 of the pool, chosen by the candidate's identity."""
        pool = self.pool(case)
        start = self._number("start", case.name, identity) % POOL_SIZE
        chosen = ((start + step) % POOL_SIZE for step in range(min(count - 1, POOL_SIZE)))
        return (case.seed, *(pool[index] for index in chosen))

    def pool(self, case: Case) -> tuple[int, ...]:
        """The secret seeds of a case whose expected outputs are kept: values of timed launches that are verified."""
        return tuple(self._number("pool", case.name, str(index)) for index in range(POOL_SIZE))

    def stream(self, case: Case, purpose: str) -> Iterator[int]:
        """Seeds without end, outside the pool: values of launches that nobody verifies.

        purpose: names the use (attempt, contestant, round); another purpose gives other seeds, the same one the same.
        """
        return (self._number("stream", purpose, case.name, str(index)) for index in count_up())

    def fresh(self, case: Case, purpose: str, count: int) -> tuple[int, ...]:
        """Seeds outside the pool, for re-verification: never seen by any attempt before."""
        return tuple(self._number("fresh", purpose, case.name, str(index)) for index in range(count))

    def number(self, *purpose: str) -> int:
        """A secret number for another use (hidden cases)."""
        return self._number("number", *purpose)

    def _number(self, *purpose: str) -> int:
        text = "\0".join((self.secret, *purpose))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1
