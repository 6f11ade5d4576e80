"""Host code in a source: a candidate is device code and a launch plan; nothing that a model writes runs on the host."""

import re

from warpwright.candidate.source import SourceFile
from warpwright.candidate.source_nodes import line_of, of_type, text_of
from warpwright.proposer.model.reply.lexical import Lexed

_DEVICE_API = (
    "cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion", "cudaGetParameterBuffer",
)  # fmt: skip
"""Calls with the runtime's prefix that belong in a kernel."""

_HOST = (
    (re.compile(r"<<<"), "a kernel launch (<<<...>>>)"),
    (re.compile(r"\b(?:int|void|auto)\s+w?main\s*\("), "main()"),
    (re.compile(rf"\b(?!(?:{'|'.join(_DEVICE_API)})\b)cuda[A-Z]\w*\s*\("), "a call of the CUDA runtime"),
    (
        re.compile(r"\bcu(?:Init|Ctx|Device|Event|Func|Graph|Launch|Library|Link|Mem|Module|Occupancy|Stream)\w*\s*\("),
        "a call of the CUDA driver",
    ),
    (re.compile(r"\b(?:nvrtc|cublas|cudnn|cufft|curand|cusparse)[A-Z]\w*\s*\("), "a call of a host library"),
    (
        re.compile(
            r"\bstd\s*::\s*(?:cout|cerr|cin|endl|vector|string|thread|async|[io]?fstream|chrono|filesystem|system|getenv)\b"
        ),
        "the host's standard library",
    ),
    (
        re.compile(r"(?<![\w.>])(?:::\s*)?(?:system|popen|fopen|fork|exec[lv]p?e?|dlopen|getenv|mmap|socket)\s*\("),
        "a call of the operating system",
    ),
)


def host_code(lexed: Lexed, source: SourceFile) -> str | None:
    """What in the source belongs on the host, with its line; None if nothing."""
    for pattern, what in _HOST:
        found = pattern.search(lexed.code)
        if found is not None:
            return f"line {lexed.code.count(chr(10), 0, found.start()) + 1} has {what}: {' '.join(found[0].split())}"
    for function in of_type(source.tree.root_node, "function_definition"):
        words = {text_of(child) for child in function.children}
        if "__host__" in words and not words & {"__device__", "__global__"}:
            return f"line {line_of(function)} defines a __host__ function"
    return None
