"""The compile worker: `python -m warpwright.compiler.worker LIBRARY FOLDER...`. Killed by its parent when it takes too long.

FOLDER: all it may read from (headers, the library, the interpreter).
"""

import sys
from pathlib import Path
from typing import Any

from warpwright.compiler.binding import SUCCESS, NvrtcLibrary, Translation
from warpwright.isolation.limits import confine_reading, limit_resources, mapped_bytes
from warpwright.isolation.serve import Answer, Handler, Request, serve

HEAP_BYTES = 5 * 1024**3
"""Beside what is mapped already, which grows with the machine; ptxas has been seen to take 9.4 GB on unrolled code
(`verification.md` V32)."""

_FILE_BYTES = 64 * 1024**2

_WARM_UP = Translation('extern "C" __global__ void warm_up() {}', "warm_up.cu", {}, ("--gpu-architecture=sm_90",), ())


def start() -> tuple[dict[str, Any], Handler]:
    """Load NVRTC and its builtins (a first compile does), then give up every right that compiling does not need."""
    library = NvrtcLibrary(sys.argv[1])
    warm = library.translate(_WARM_UP)
    limit_resources(address_space_bytes=mapped_bytes() + HEAP_BYTES, file_bytes=_FILE_BYTES)
    confined = confine_reading([Path(folder) for folder in sys.argv[2:]])

    def translate(request: Request) -> Answer:
        body = request.body
        translated = library.translate(
            Translation(body["source"], body["source_name"], body["headers"], body["options"], body["expressions"])
        )
        reply = {
            "status": translated.status,
            "log": translated.log,
            "ptx": translated.ptx,
            "lowered": dict(translated.lowered),
        }
        return Answer(reply, (translated.cubin,))

    return {"confined": confined, "failure": warm.log if warm.status != SUCCESS else ""}, translate


if __name__ == "__main__":
    serve(start)
