"""A server on this machine that speaks the providers' protocols and answers as it is told.

In a test: `with ModelServer([Answer("text"), Answer(status=429)]) as server: ... server.base_url`. By hand, with a folder of
answers: `PYTHONPATH=tests python -m model_server --help`.
"""

from model_server.answer import Answer, Call
from model_server.folder import read_folder
from model_server.server import ModelServer, Request

__all__ = ["Answer", "Call", "ModelServer", "Request", "read_folder"]
