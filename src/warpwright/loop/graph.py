"""The loop, all edges on one screen."""

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from warpwright.loop.context import LoopContext
from warpwright.loop.nodes.check import check
from warpwright.loop.nodes.diagnose import diagnose
from warpwright.loop.nodes.evaluate import evaluate
from warpwright.loop.nodes.examine import examine
from warpwright.loop.nodes.finish import finish
from warpwright.loop.nodes.propose import propose
from warpwright.loop.nodes.record import record
from warpwright.loop.nodes.repair import repair
from warpwright.loop.nodes.research import research
from warpwright.loop.nodes.tune import tune
from warpwright.loop.state import LoopState, NextNode

Graph = StateGraph[LoopState, LoopContext, LoopState, LoopState]


def where_next(state: LoopState) -> NextNode:
    """The node that the last one asked for."""
    return state["next"]


def evaluate_or_fan_out(state: LoopState) -> NextNode | list[Send]:
    """As `where_next`; several candidates that were begun in one step are examined at once."""
    if state["next"] != "examine":
        return state["next"]
    numbers = range(state["attempt"], state["step"] + 1)
    return [Send("examine", LoopState(session=state["session"], attempt=number)) for number in numbers]


def build() -> Graph:
    """Nodes and edges; compiled with a checkpointer by `run.py`, without one for LangGraph Studio."""
    graph = StateGraph(LoopState, context_schema=LoopContext)
    graph.add_node("check", check)
    graph.add_node("propose", propose)
    graph.add_node("examine", examine)
    graph.add_node("evaluate", evaluate)
    graph.add_node("record", record)
    graph.add_node("repair", repair)
    graph.add_node("tune", tune)
    graph.add_node("diagnose", diagnose)
    graph.add_node("research", research)
    graph.add_node("finish", finish)

    graph.add_edge(START, "check")
    graph.add_edge("check", "propose")
    graph.add_conditional_edges("propose", evaluate_or_fan_out, ["examine", "evaluate", "finish"])
    graph.add_edge("examine", "evaluate")
    graph.add_edge("evaluate", "record")
    graph.add_conditional_edges("record", where_next, ["tune", "repair", "diagnose"])
    graph.add_conditional_edges("repair", where_next, ["evaluate", "tune", "propose"])
    graph.add_conditional_edges("tune", where_next, ["tune", "diagnose"])
    graph.add_edge("diagnose", "research")
    graph.add_edge("research", "propose")
    graph.add_edge("finish", END)
    return graph


graph: CompiledStateGraph[LoopState, LoopContext, LoopState, LoopState] = build().compile(name="warpwright")
"""For `langgraph dev`; its input is {"session": DIRECTORY}."""
