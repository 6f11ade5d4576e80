"""`PYTHONPATH=tests python -m model_server FOLDER [--port 8000]`: answers from files until Ctrl-C, the last one for ever."""

import argparse
import contextlib
import threading
from pathlib import Path

from model_server.folder import read_folder
from model_server.server import ModelServer

parser = argparse.ArgumentParser(prog="model_server", description=__doc__)
parser.add_argument("folder", type=Path)
parser.add_argument("--port", type=int, default=8000)
options = parser.parse_args()
with ModelServer(read_folder(options.folder), options.port) as server:
    print(f"warpwright optimize WORKLOAD --model openai:any --base-url {server.base_url}", flush=True)  # noqa: T201
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
