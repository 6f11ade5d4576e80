"""Several equal GPUs of one machine as one device: times are taken on the first, runs are spread over all."""

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.gpu.process.execution import UnusableGpu
from warpwright.device.measuring import MeasureOutcome, MeasureRequest
from warpwright.device.protocol import RunOnce, RunOutcome, RunRequest, Target
from warpwright.hardware import GpuSpec
from warpwright.workload.model import DeviceKind

_LOGGER = logging.getLogger(__name__)


@dataclass(slots=True)
class _Place:
    """A GPU, whether it is in use, and how many runs it was given since `renew`."""

    gpu: GpuDevice
    busy: bool = False
    runs: int = 0


class SeveralGpus:
    """Equal GPUs, at least one. Thread-safe: as many requests at once as there are GPUs.

    The first GPU takes every time, so that all times of a session can be compared; it runs candidates only while no other
    GPU is idle, and never while it measures. A GPU that turns unusable is dropped with a warning, unless it is the first.
    """

    def __init__(self, name: str, gpus: Sequence[GpuDevice]) -> None:
        self._name = name
        first, *others = (_Place(gpu) for gpu in gpus)
        self._timing = first
        self._places = [*others, first]
        self._changed = threading.Condition()

    @property
    def kind(self) -> DeviceKind:
        """Cases for GPUs apply."""
        return self._timing.gpu.kind

    @property
    def name(self) -> str:
        """`gpu:0,1`; those that were dropped included."""
        return self._name

    @property
    def spec(self) -> GpuSpec:
        """Of the GPU that takes the times."""
        return self._timing.gpu.spec

    @property
    def target(self) -> Target:
        """A cubin for the architecture that all share."""
        return self._timing.gpu.target

    @property
    def description(self) -> str:
        """One line for people."""
        others = ", ".join(gpu.name for gpu in self.gpus[1:]) or "none is left"
        return f"{self._timing.gpu.description}; more to verify on: {others}"

    @property
    def identity(self) -> Mapping[str, str]:
        """That of the GPU that takes the times; `verified_on` has the UUIDs of all that run candidates."""
        gpus = self.gpus
        pages = [gpu.identity["unmapped_pages"] for gpu in gpus]
        known = next((text for text in pages if text != "unknown"), "unknown")
        uuids = ", ".join(gpu.identity["uuid"] for gpu in gpus)
        return {**gpus[0].identity, "unmapped_pages": known, "verified_on": uuids}

    @property
    def gpus(self) -> tuple[GpuDevice, ...]:
        """Those that are used; the first takes the times."""
        with self._changed:
            *others, first = (place.gpu for place in self._places)
        return (first, *others)

    @property
    def concurrent_runs(self) -> int:
        """How many calls of `run` are carried out at once."""
        return len(self.gpus)

    @property
    def process_ids(self) -> frozenset[int]:
        """Of every harness process that has not ended."""
        return frozenset(pid for gpu in self.gpus for pid in gpu.process_ids)

    def prepare(self, compiler: Compiler) -> None:
        """Compile the harness's own kernels and the canary. Raises: ToolchainUnavailable, InfrastructureError."""
        for gpu in self.gpus:
            gpu.prepare(compiler)

    def renew(self) -> None:
        """What runs next runs in processes in which no candidate has run."""
        with self._changed:
            places = list(self._places)
        for place in places:
            place.gpu.renew()
            place.runs = 0

    def rest(self) -> None:
        """Nothing is measured for now: processes may start and end in the background."""
        for gpu in self.gpus:
            gpu.rest()

    def run(self, request: RunRequest) -> RunOutcome:
        """Run a plan once, on an idle GPU. Raises: InfrastructureError.

        On a GPU that turns out unusable it counts as not run, and goes to another; one request costs one GPU at most.
        """
        lost: UnusableGpu | None = None
        while True:
            with self._idle() as place:
                try:
                    return place.gpu.run(request)
                except UnusableGpu as error:
                    if place is self._timing or lost is not None:
                        raise
                    lost = error
                    self._drop(place, error)

    def run_once(self, request: RunRequest, folder: Path) -> RunOnce:
        """As `RunOnceDevice` says, on the GPU that takes the times. Raises: DeviceUnavailable, InfrastructureError."""
        return self._timing.gpu.run_once(request, folder)

    def measure(self, request: MeasureRequest) -> MeasureOutcome:
        """Carry out a schedule on the first GPU, while no process starts or ends on any. Raises: InfrastructureError."""
        with self._changed:
            while self._timing.busy:
                self._changed.wait()
            self._timing.busy = True
        try:
            for gpu in self.gpus[1:]:
                gpu.settle()
            return self._timing.gpu.measure(request)
        finally:
            self._release(self._timing)

    def close(self) -> None:
        """End every process."""
        with ExitStack() as closing:
            for gpu in self.gpus:
                closing.callback(gpu.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _idle(self) -> Iterator[_Place]:
        """The idle GPU that has run most since `renew`: the later run of two has the longer history then (V26)."""
        with self._changed:
            while not (idle := [place for place in self._places if not place.busy]):
                self._changed.wait()
            place = max(idle, key=lambda place: place.runs)
            place.busy = True
            place.runs += 1
        try:
            yield place
        finally:
            self._release(place)

    def _release(self, place: _Place) -> None:
        with self._changed:
            place.busy = False
            self._changed.notify_all()

    def _drop(self, place: _Place, error: UnusableGpu) -> None:
        with self._changed:
            self._places.remove(place)
        place.gpu.close()
        left = ", ".join(gpu.name for gpu in self.gpus)
        _LOGGER.warning("%s is used no more: %s The run goes on with %s.", place.gpu.name, error, left)
