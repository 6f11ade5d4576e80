"""LangChain takes seconds to import: only a session with a model pays for it."""

import subprocess
import sys

import pytest

COMMANDS = ("--help", "optimize --help", "doctor --no-canary", "sessions")
HEAVY = ("langchain_core", "langchain_openai", "langgraph", "openai", "anthropic")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_without_a_model_import_neither_langchain_nor_langgraph(command: str) -> None:
    program = (
        "import contextlib, io, sys\n"
        "from warpwright.cli.main import run\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):\n"
        f"    run({command.split()!r})\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert run.stdout.strip() == "[]"
