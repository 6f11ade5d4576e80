"""The LangGraph loop."""
