"""Turns on one GPU among all sessions of this machine, whoever runs them: locks that a kill releases."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from warpwright.errors import InfrastructureError
from warpwright.isolation.file_lock import LockBusy, file_lock, machine_folder, shared_lock

PATIENCE_S = 300.0
"""Longer than any request may take."""
_LOOK_S = 0.02


class Turns:
    """Two locks of one GPU.

    `alone` is held around every request of a candidate. `measuring` is held, by one that is alone, around the measurement
    itself, and keeps every session's processes from starting and ending; these share the lock among themselves. Nobody who
    holds a share waits for anyone who measures, and until it is alone itself a session starts and ends few: so no two wait
    for each other, and a measurement waits for what is under way. On Windows the share is not held but only waited for.

    gpu: as messages name it.
    """

    def __init__(self, uuid: str, gpu: str) -> None:
        self.requests = machine_folder() / f"warpwright-{uuid}.lock"
        """Whoever runs something on this GPU beside us holds it."""
        self.quiet = machine_folder() / f"warpwright-{uuid}.quiet.lock"
        self._gpu = gpu

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One request on this GPU at a time. Raises: InfrastructureError if others take too long."""
        with ExitStack() as held:
            try:
                held.enter_context(file_lock(self.requests, PATIENCE_S))
            except LockBusy as busy:
                who = "another process" if busy.holder is None else f"process {busy.holder}"
                raise InfrastructureError(
                    f"{self._gpu} has been in use by {who} for {PATIENCE_S:g} s. Wait for it, "
                    "stop it, or choose another GPU with --device gpu:N; the session can be resumed."
                ) from busy
            except OSError as error:
                raise _unusable(self.requests, error) from error
            yield

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """No process of any session starts or ends on this GPU. Raises: InfrastructureError if one takes too long."""
        with ExitStack() as held:
            try:
                held.enter_context(file_lock(self.quiet, PATIENCE_S))
            except LockBusy as busy:
                raise InfrastructureError(
                    f"{self._gpu}: a harness process of another session has been starting or ending for {PATIENCE_S:g} s. "
                    "Look for warpwright-harness among the processes and stop it; the session can be resumed."
                ) from busy
            except OSError as error:
                raise _unusable(self.quiet, error) from error
            yield

    @contextmanager
    def unmeasured(self, dropped: Callable[[], bool]) -> Iterator[bool]:
        """Processes may start and end, since nothing is measured; False if `dropped` said so before that.

        Raises: InfrastructureError if others take too long.
        """
        deadline = time.monotonic() + PATIENCE_S
        with ExitStack() as held:
            while not self._share(held):
                if dropped():
                    yield False
                    return
                if time.monotonic() >= deadline:
                    raise InfrastructureError(
                        f"{self._gpu} has been measured on by another session for {PATIENCE_S:g} s, so no process could "
                        "start. Wait for it or stop it; the session can be resumed."
                    )
            yield True

    def _share(self, held: ExitStack) -> bool:
        try:
            held.enter_context(shared_lock(self.quiet, _LOOK_S))
        except LockBusy:
            return False
        except OSError as error:
            raise _unusable(self.quiet, error) from error
        return True


def _unusable(path: Path, error: OSError) -> InfrastructureError:
    return InfrastructureError(
        f"{path}: sessions take turns on the GPU by locking this file, and it cannot be locked "
        f"({error.strerror or error}). It must be a plain file that everybody may read; remove what is there."
    )
