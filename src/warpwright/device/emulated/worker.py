"""The emulator's worker: `python -m warpwright.device.emulated.worker EXECUTOR MEMORY_LIMIT_BYTES CACHE_DIRECTORY`.

CACHE_DIRECTORY may be empty: nothing is kept. Killed by its parent at a deadline.
"""

import sys
import time
from pathlib import Path
from typing import Any

from warpwright.device.emulated.execution import Job, Modules, Stopped
from warpwright.device.emulated.messages import fault_message, modified_message
from warpwright.device.protocol import Fault, FaultKind
from warpwright.emulator.launch import ExecutorKind
from warpwright.errors import UnsupportedInstruction
from warpwright.isolation.limits import limit_resources
from warpwright.isolation.serve import Answer, Handler, Request, serve


def start() -> tuple[dict[str, Any], Handler]:
    """Prepare an empty set of modules."""
    executor = ExecutorKind(sys.argv[1])
    memory_limit_bytes = int(sys.argv[2])
    modules = Modules(executor, Path(sys.argv[3]) if sys.argv[3] else None)
    limit_resources()

    def answer(request: Request) -> Answer:
        started = time.perf_counter()
        try:
            job = Job(modules, request, memory_limit_bytes)
            if request.body["kind"] == "time":
                return Answer({"estimate": job.time()})
            outputs, modified = job.run()
        except Stopped as stopped:
            return Answer({"fault": fault_message(stopped.fault)})
        except UnsupportedInstruction as error:
            return Answer({"fault": fault_message(Fault(FaultKind.UNSUPPORTED, str(error)))})
        seconds = time.perf_counter() - started
        return Answer({"seconds": seconds, "modified": modified_message(modified)}, outputs)

    return {"executor": executor.value}, answer


if __name__ == "__main__":
    serve(start)
