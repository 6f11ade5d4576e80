"""The graph of `new --describe`, all edges on one screen."""

from langgraph.graph import END, START, StateGraph

from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.nodes import approve, compare, freeze, inspect, refuse, second_opinion, specify
from warpwright.loop.describing.state import DescribeState, NextStep

DescribeGraph = StateGraph[DescribeState, DescribeContext, DescribeState, DescribeState]


def where_next(state: DescribeState) -> NextStep:
    """The node that the last one asked for."""
    return state["next"]


def build() -> DescribeGraph:
    """Nodes and edges; compiled with a checkpointer by `run.py`."""
    graph = StateGraph(DescribeState, context_schema=DescribeContext)
    graph.add_node("specify", specify)
    graph.add_node("inspect", inspect)
    graph.add_node("second_opinion", second_opinion)
    graph.add_node("compare", compare)
    graph.add_node("approve", approve)
    graph.add_node("freeze", freeze)
    graph.add_node("refuse", refuse)

    graph.add_conditional_edges(START, where_next, ["specify", "inspect"])
    graph.add_conditional_edges("specify", where_next, ["specify", "inspect", "refuse"])
    graph.add_conditional_edges("inspect", where_next, ["specify", "second_opinion", "refuse"])
    graph.add_conditional_edges("second_opinion", where_next, ["second_opinion", "compare", "refuse"])
    graph.add_conditional_edges("compare", where_next, ["specify", "inspect", "second_opinion", "approve", "refuse"])
    graph.add_edge("approve", "freeze")
    graph.add_edge("freeze", END)
    graph.add_edge("refuse", END)
    return graph
