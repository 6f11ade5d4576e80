"""What look-ups work with: the record, the documents, the compiler; nothing of the evaluator."""

from collections.abc import Callable
from dataclasses import dataclass, field

from warpwright.candidate.candidate import Candidate
from warpwright.errors import InputError
from warpwright.knowledge.documents.library import Library
from warpwright.proposer.protocol import SearchState
from warpwright.record.attempt import Attempt


@dataclass(frozen=True, slots=True)
class Aids:
    """What the tools of one turn may read.

    library: None = no documents. compile_check: compiles a candidate and says what came of it, nothing is run; None = cannot.
    parent: attempt whose launch plan a compile check takes where it gives none; 0 = the workload's initial kernel.
    returned: ids that look-ups gave, so that the hypothesis may cite them; the tools add to it.
    """

    state: SearchState
    library: Library | None = None
    compile_check: Callable[[Candidate], str] | None = None
    parent: int = 0
    returned: set[str] = field(default_factory=set)

    def attempt(self, number: int) -> Attempt:
        """A finished attempt. Raises: InputError if there is none of that number."""
        count = len(self.state.attempts)
        if not 1 <= number <= count:
            known = f"1 to {count}" if count else "none yet"
            raise InputError(f"there is no finished attempt {number}; finished are {known}.")
        return self.state.attempt(number)

    def base(self) -> Candidate:
        """The parent's candidate."""
        return self.state.attempt(self.parent).candidate if self.parent else self.state.workload.initial
