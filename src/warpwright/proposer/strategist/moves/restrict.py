"""`const __restrict__`: tell the compiler that arrays do not overlap and which are only read."""

from warpwright.candidate.source_edit import apply_edits
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.qualifiers import restrict_edits
from warpwright.proposer.strategist.rewriting.subject import Subject


def rewrite(subject: Subject) -> Change | Refusal:
    """Add the qualifiers; loads may then be moved above stores and go through the read-only path."""
    if not subject.distinct_arrays:
        return Refusal("two parameters may be the same array")
    edits = restrict_edits(subject)
    if not edits:
        return Refusal("every pointer parameter has __restrict__ already")
    source = apply_edits(subject.kernel.source, edits)
    return Change(
        candidate=subject.made(source.text),
        text="The arrays never overlap, but the compiler cannot know: add const __restrict__ so that it may move loads up.",
        promise=1.02,
    )


MOVE = Move("restrict", "const __restrict__ on pointer parameters that do not overlap", rewrite, ("FG-17",))
