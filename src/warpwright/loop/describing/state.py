"""What the graph of `new --describe` carries between nodes: plain JSON; texts and results lie in the draft directory."""

from typing import Literal, TypedDict

DESCRIBE_GRAPH_VERSION = 2
"""Raised whenever a node is added, removed or renamed, or what the state or a draft's files hold is changed: a draft of another
version is not resumed silently."""

MAX_RE_ASKS = 2
"""Of each of the two who write."""

NextStep = Literal["specify", "inspect", "second_opinion", "compare", "approve", "freeze", "refuse"]


class DescribeState(TypedDict, total=False):
    """author_re_asks, second_re_asks: how often a reply was sent back. fault: why, to be said to whoever writes next.
    unresolved: what a check found last, whatever was wrong with the form of replies since. inspected: digests of what was
    examined, by file.

    warned: weaknesses that are no errors were sent back once. disagreed: the fault is that two implementations differ.
    author_stands, second_stands: reasons of one who was shown that and holds that the own part is right.
    examined: content hash of what was found good. answer: a person's. reason: of a refusal.
    """

    next: NextStep
    author_re_asks: int
    second_re_asks: int
    fault: str
    unresolved: str
    inspected: dict[str, str]
    warned: bool
    disagreed: bool
    author_stands: str
    second_stands: str
    examined: str
    answer: str
    reason: str
