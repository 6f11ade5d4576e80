"""Chat models of any provider behind `ModelClient`; the only place where LangChain is imported."""
