"""A measuring device whose process outlives a comparison, so that a study of hundreds takes minutes."""

from collections.abc import Mapping

from warpwright.compiler.compiler import Compiler
from warpwright.device.measuring import MeasureOutcome, MeasureRequest, MeasuringDevice
from warpwright.device.protocol import RunOutcome, RunRequest, Target
from warpwright.hardware import GpuSpec
from warpwright.workload.model import DeviceKind


class SharedProcess:
    """Passes everything on but `renew`; `next_process` renews."""

    def __init__(self, device: MeasuringDevice) -> None:
        self._device = device

    @property
    def kind(self) -> DeviceKind:
        """As the device has it."""
        return self._device.kind

    @property
    def name(self) -> str:
        """As the device has it."""
        return self._device.name

    @property
    def spec(self) -> GpuSpec:
        """As the device has it."""
        return self._device.spec

    @property
    def target(self) -> Target:
        """As the device has it."""
        return self._device.target

    @property
    def description(self) -> str:
        """As the device has it."""
        return self._device.description

    @property
    def identity(self) -> Mapping[str, str]:
        """As the device has it."""
        return self._device.identity

    def prepare(self, compiler: Compiler) -> None:
        """Passed on."""
        self._device.prepare(compiler)

    def renew(self) -> None:
        """Not passed on."""

    def next_process(self) -> None:
        """What runs next runs in a fresh process."""
        self._device.renew()

    def run(self, request: RunRequest) -> RunOutcome:
        """Passed on."""
        return self._device.run(request)

    def measure(self, request: MeasureRequest) -> MeasureOutcome:
        """Passed on."""
        return self._device.measure(request)

    def rest(self) -> None:
        """Not passed on: a process made ready between two comparisons would delay the second."""

    def close(self) -> None:
        """Passed on."""
        self._device.close()
