"""What the graph carries between nodes: plain JSON and ids. Sources, samples and logs live in the session directory."""

from typing import Literal, TypedDict

GRAPH_VERSION = 3
"""Raised whenever a node is added, removed or renamed: a session of another version is not resumed silently."""

NextNode = Literal["propose", "examine", "evaluate", "repair", "tune", "diagnose", "finish"]


class LoopState(TypedDict, total=False):
    """session: its directory. attempt: the one whose turn it is. next: where to go.

    step: highest number that was begun; attempts in hand up to it are evaluated in turn before anything new is proposed.
    stop: why the session ends, in words; absent while it goes on.
    """

    session: str
    attempt: int
    step: int
    next: NextNode
    stop: str
