"""After a process ended badly: is the GPU still good, and whose fault was it?"""

import time
from collections.abc import Callable

from warpwright.device.gpu.process.client import HarnessClient
from warpwright.device.gpu.process.pool import AnotherHarness, HarnessPool
from warpwright.device.protocol import Fault, FaultKind
from warpwright.errors import InfrastructureError
from warpwright.isolation.process import Ended, WorkerEnded

GPU_PATIENCE_S = 30.0
"""How long a GPU may take to come back after a process was killed (M45)."""

_TRIES = 2
_PAUSE_S = 0.5


def healthy_process(
    pool: HarnessPool, canary: Callable[[HarnessClient], str | None], patience_s: float = GPU_PATIENCE_S
) -> HarnessClient:
    """A fresh process in which the known-good kernel has just given the right numbers.

    Raises: InfrastructureError after two processes in which it did not: nothing on this GPU can be trusted then.
    """
    problems: list[str] = []
    deadline = time.monotonic() + patience_s
    while True:
        client: HarnessClient | None = None
        try:
            client = pool.take()
            problem = canary(client)
        except AnotherHarness:
            raise
        except WorkerEnded as ended:
            problem = f"the process ended ({ended})"
        except InfrastructureError as error:
            problem = str(error)
        if problem is None and client is not None:
            return client
        if client is not None:
            pool.discard(client)
        problems.append(problem or "")
        if (client is not None and len(problems) >= _TRIES) or time.monotonic() >= deadline:
            break
        time.sleep(_PAUSE_S)
    raise InfrastructureError(
        f"the GPU is not usable: a known-good kernel failed {len(problems)} times in a row, last: {problems[-1]}. "
        "Check it with nvidia-smi and restart the machine if need be; then resume the session."
    )


def fault_of_end(ended: WorkerEnded, time_limit_s: float, *, timing: bool) -> Fault:
    """The fault of a candidate whose process ended without an answer, while a known-good kernel runs."""
    if ended.how is Ended.TIMEOUT:
        text = (
            f"the harness did not answer within the limit of {time_limit_s:g} s and its grace, and was killed; a known-good "
            "kernel runs on the same GPU. An endless loop, or a launch that the driver does not return from."
        )
        return Fault(FaultKind.TIMING if timing else FaultKind.TIMEOUT, text)
    code = "by a signal" if ended.exit_code is None else f"with exit code {ended.exit_code}"
    last = f" Its last words: {ended.stderr.strip()[-500:]}" if ended.stderr.strip() else ""
    text = (
        f"the process that ran this kernel ended twice {code} and without an answer, while a known-good kernel runs on the "
        f"same GPU.{last}"
    )
    return Fault(FaultKind.PROCESS_ENDED, text)
