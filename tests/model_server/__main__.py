"""Plays a model from files: `PYTHONPATH=tests python -m model_server FOLDER [--port 8000]`, until Ctrl-C."""

import argparse
import contextlib
import sys
import threading
from pathlib import Path

from model_server import folder
from model_server.server import ModelServer

HELP = f"""\
Answers in the protocols of OpenAI, Anthropic, Google and Ollama.

{folder.__doc__}
The first answer goes to the request with which `warpwright optimize` asks whether the model answers, so begin with a file such
as 00-ready.txt. The last answer is given for ever.
"""


def main(arguments: list[str] | None = None) -> int:
    """Serve a folder; 2 if there is nothing to serve."""
    parser = argparse.ArgumentParser(
        prog="model_server", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder of answers")
    parser.add_argument("--port", type=int, default=8000, help="on this machine alone (8000)")
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        parser.error(f"{options.folder}: no such folder; name one with answers (--help says in which form)")
    answers = folder.read_folder(options.folder)
    if not answers:
        parser.error(f"{options.folder}: holds no answer; put files NAME.md, NAME.txt or NAME.toml there")
    with ModelServer(answers, options.port) as server:
        print(f"warpwright optimize WORKLOAD --model openai:any --base-url {server.base_url}", flush=True)  # noqa: T201
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
