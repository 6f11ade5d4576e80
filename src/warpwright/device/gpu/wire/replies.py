"""What the harness answers, checked on arrival (`docs/harness.md`, *Operations*). Fields that we do not know are skipped."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from warpwright.errors import InfrastructureError


class Message(BaseModel):
    """A reply or a part of one."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Hello(Message):
    """The GPU and the program that drives it. attributes: the driver's names; None: this driver does not know it."""

    nonce: str
    harness: str
    build: str
    driver_version: int
    name: str
    uuid: str
    pci_bus_id: str
    compute_capability: list[int]
    total_memory_bytes: int
    attributes: dict[str, int | None]
    capabilities: dict[str, bool | str]

    @property
    def cuda(self) -> tuple[int, int]:
        """Newest CUDA that the driver serves."""
        return self.driver_version // 1000, self.driver_version % 1000 // 10


class Opened(Message):
    """A context. free_memory_bytes: on the device, afterwards."""

    free_memory_bytes: int
    seconds: float


class Loaded(Message):
    """A module; the attributes of its kernels are for the record."""

    kernels: dict[str, dict[str, int]]


class ModifiedInput(Message):
    """An input that is not as it was."""

    name: str
    bytes: int
    first_byte: int


class GuardViolation(Message):
    """Guard bytes that changed. side: `before` or `after`. offset_bytes: distance from the array's edge."""

    name: str
    side: str
    bytes: int
    offset_bytes: int


class RunReply(Message):
    """One plan, run once. pages: True, or why no unmapped pages lay around the arrays."""

    seconds: float
    device_us: float | None = None
    outputs: list[str]
    modified: list[ModifiedInput]
    guards: list[GuardViolation]
    pages: bool | str


class BlockReply(Message):
    """One block of timing."""

    samples_us: list[float | None]
    sm_mhz: float | None
    throttle: list[str] | None
    temperature_c: float | None
    power_w: float | None
    blocker: str


class KeptOutput(Message):
    """Which attachment is what: block and launch are indices in the request."""

    block: int
    launch: int
    name: str


class TimeReply(Message):
    """A schedule, carried out."""

    blocks: list[BlockReply]
    kept: list[KeptOutput]
    sets: int
    flush_bytes: int
    guards: list[GuardViolation]
    truncated: bool
    free_memory_bytes: int
    unavailable: dict[str, str]


class WireError(Message):
    """Not the candidate's fault. kind: `request`, `driver` or `memory`."""

    kind: str
    message: str
    call: str | None = None
    code: int | None = None
    name: str | None = None
    needed_bytes: int | None = None
    free_bytes: int | None = None


class WireFault(Message):
    """The candidate's fault. launch: index in the plan; entry: symbol; None is unknown. fatal: the process is gone."""

    kind: str
    message: str
    call: str | None = None
    code: int | None = None
    name: str | None = None
    launch: int | None = None
    entry: str | None = None
    fatal: bool = False


def parse[M: Message](model: type[M], body: Any, operation: str) -> M:
    """The reply as that model. Raises: InfrastructureError naming the field that does not fit."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the reply"
        raise InfrastructureError(
            f"the harness answered `{operation}` with something else than docs/harness.md says: {where}: {first['msg']} "
            f"(got {first['input']!r:.200}). Its version may not fit: run `warpwright doctor`."
        ) from error
