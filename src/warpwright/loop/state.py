"""What the graph carries between nodes: plain JSON and ids. Sources, samples and logs live in the session directory."""

from typing import Literal, TypedDict

GRAPH_VERSION = 2
"""Raised whenever a node is added, removed or renamed: a session of another version is not resumed silently."""

NextNode = Literal["propose", "evaluate", "repair", "tune", "diagnose", "finish"]


class LoopState(TypedDict, total=False):
    """session: its directory. attempt: the one in hand. repairs: made since the last fresh idea. next: where to go.

    stop: why the session ends, in words; absent while it goes on.
    """

    session: str
    attempt: int
    repairs: int
    next: NextNode
    stop: str
