import json
from pathlib import Path
from typing import get_type_hints

from warpwright.loop.graph import build, graph
from warpwright.loop.state import GRAPH_VERSION, LoopState

GOLDEN = {
    1: ["check", "evaluate", "finish", "propose", "record", "repair", "tune"],
    2: ["check", "diagnose", "evaluate", "finish", "propose", "record", "repair", "research", "tune"],
    3: ["check", "diagnose", "evaluate", "examine", "finish", "propose", "record", "repair", "research", "tune"],
}
"""Node names by graph version: a checkpoint names nodes, and LangGraph ends silently on a name it does not know."""


def test_node_names_change_only_with_the_graph_version() -> None:
    assert sorted(build().nodes) == GOLDEN[GRAPH_VERSION]


def test_every_edge_is_drawn() -> None:
    edges = {(edge.source, edge.target) for edge in graph.get_graph().edges}
    assert ("__start__", "check") in edges
    assert ("examine", "evaluate") in edges
    assert ("evaluate", "record") in edges
    assert {target for source, target in edges if source == "repair"} == {"evaluate", "tune", "propose"}
    assert {target for source, target in edges if source == "record"} == {"tune", "repair", "diagnose"}
    assert {target for source, target in edges if source == "propose"} == {"examine", "evaluate", "finish"}
    assert {target for source, target in edges if source == "tune"} == {"tune", "diagnose"}
    assert ("diagnose", "research") in edges
    assert ("research", "propose") in edges
    assert ("finish", "__end__") in edges


def test_state_holds_only_text_and_numbers() -> None:
    for name, kind in get_type_hints(LoopState).items():
        assert kind in (str, int) or all(isinstance(word, str) for word in kind.__args__), name


def test_studio_finds_the_graph() -> None:
    root = Path(__file__).resolve().parents[2]
    path, _, name = json.loads((root / "langgraph.json").read_text(encoding="utf-8"))["graphs"]["warpwright"].partition(
        ":"
    )
    assert (root / path).is_file()
    assert name == "graph"
    assert graph.checkpointer is None
