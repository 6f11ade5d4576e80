"""How a GPU is reached: the command that starts its harness, its environment, its sandbox; and the first words with it."""

import hmac
import os
import secrets
import shlex
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from warpwright.device.gpu.process.client import HarnessClient, HarnessError
from warpwright.device.gpu.process.locate import find_harness
from warpwright.device.gpu.wire.exchange import Exchange
from warpwright.device.gpu.wire.replies import Hello, WireFault, parse
from warpwright.errors import DeviceUnavailable, InfrastructureError, UsageError
from warpwright.isolation.bubblewrap import sandbox
from warpwright.isolation.environment import gpu_environment, remote_environment
from warpwright.isolation.limits import limiting_prefix
from warpwright.isolation.line_process import Command
from warpwright.isolation.owned_folder import OwnedFolder
from warpwright.isolation.process import WorkerEnded
from warpwright.units import MIB

SCHEMA = 1
"""Of the messages; the harness refuses another."""

_HELLO_LIMIT_S = 60.0
"""cuInit takes seconds on machines with many GPUs whose driver is not kept loaded; ssh takes its own."""

_FILE_BYTES = 512 * MIB
"""Largest file of the harness. The driver's shared-memory files count too, so it is not smaller."""

NVML_VARIABLE = "WARPWRIGHT_NVML"
"""Read by the harness: NVML library to load instead of the system's."""

_FOLDER = "warpwright-harness-folder"
_NO_DRIVER = 71
_NONCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Connection:
    """A way to one GPU. device: its index there. sandbox: `bubblewrap`, or why there is none. log: folder of request logs."""

    name: str
    command: Command
    device: int
    sandbox: str
    log: Path | None = None
    on_start: Callable[[HarnessClient], None] | None = None
    """Told of each process before it is spoken to, so that its owner can end it at any time."""

    sharing: Callable[[Path], Command] | None = None
    """The command of a process that exchanges large arrays through a folder; None: the harness is not on this machine."""

    once: Callable[[Path], Command] | None = None
    """The command that runs a recorded job outside any sandbox, in the job's folder; None: not on this machine."""


@dataclass(frozen=True, slots=True)
class HarnessOptions:
    """harness: the program; None = looked for. driver: library to load instead of the system's. sandboxed: use bubblewrap
    where it works. log_directory: every request is kept there; None: nowhere."""

    harness: Path | None = None
    driver: Path | None = None
    sandboxed: bool = True
    log_directory: Path | None = None


def temporary_folder() -> OwnedFolder:
    """For what harness processes and their driver write. Raises: DeviceUnavailable."""
    parent = Path(tempfile.gettempdir())
    try:
        return OwnedFolder.make(parent, _FOLDER)
    except OSError as error:
        raise DeviceUnavailable(
            f"{parent}: no folder can be made there for the harness's temporary files ({error.strerror or error}). "
            "Make room, or name another folder by TMPDIR."
        ) from error


def local_connection(name: str, device: int, temporary: Path, options: HarnessOptions) -> Connection:
    """A harness on this machine. temporary: its own folder for temporary files. Raises: DeviceUnavailable without a harness."""
    program = find_harness(options.harness)
    driver = ("--driver", str(options.driver)) if options.driver else ()
    arguments = (str(program), "serve", *driver)
    readable = [program.parent, *([options.driver.parent] if options.driver else [])]
    environment = gpu_environment(str(temporary), (NVML_VARIABLE,))
    readable += [Path(folder) for folder in environment.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    if NVML_VARIABLE in environment:
        readable.append(Path(environment[NVML_VARIABLE]))
    box = sandbox(readable)
    reason = box.reason if options.sandboxed else "turned off by WARPWRIGHT_SANDBOX"
    limits = limiting_prefix(_FILE_BYTES) if sys.platform != "win32" else ()

    def command(folder: Path | None = None) -> Command:
        shared = ("--exchange", str(folder)) if folder is not None else ()
        if reason is not None:
            return Command((*limits, *arguments, *shared), environment, temporary)
        inside = gpu_environment("/tmp", (NVML_VARIABLE,))
        return Command((*limits, *box.prefix(folder), *arguments, *shared), inside)

    def once(job: Path) -> Command:
        words = (str(program), "run-once", str(job), *driver)
        return Command(words, gpu_environment(str(job.parent), (NVML_VARIABLE,)), job.parent)

    boxed = "bubblewrap" if reason is None else f"none: {reason}"
    return Connection(name, command(), device, boxed, options.log_directory, sharing=command, once=once)


def without_sandbox(
    connection: Connection, name: str, temporary: Path, options: HarnessOptions, why: str
) -> Connection:
    """The same GPU, reached without bubblewrap because the driver does not work inside it."""
    bare = local_connection(name, connection.device, temporary, replace(options, sandboxed=False))
    return replace(bare, sandbox=f"none: the driver does not work inside bubblewrap: {why}")


def command_connection(text: str, options: HarnessOptions) -> Connection:
    """A harness behind a command, `ssh box /path/warpwright-harness`; no shell reads it.

    Raises: UsageError for text that is no command.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--device command:{text}: {error}. Quote it as a shell would.") from error
    if not words:
        raise UsageError('--device command: names no command. Give one: command:"ssh box /path/warpwright-harness".')
    command = Command((*words, "serve"), remote_environment())
    return Connection(f"command:{text}", command, 0, "none: the command decides", options.log_directory)


def connect(connection: Connection) -> tuple[HarnessClient, Hello]:
    """Start a harness and let it describe the GPU.

    Raises: DeviceUnavailable if it does not start, finds no driver or no such GPU; InfrastructureError if it answers with
    another nonce or in another form.
    """
    nonce = secrets.token_hex(_NONCE_BYTES)
    fields = {"schema": SCHEMA, "device": connection.device, "nonce": nonce}
    client = _start(connection)
    greeted = False
    try:
        answer = client.request("hello", fields, time_limit_s=_HELLO_LIMIT_S)
        hello = _greeting(answer, nonce)
        greeted = True
        return client, hello
    except HarnessError as error:
        raise DeviceUnavailable(f"--device {connection.name}: {error.error.message}") from error
    except WorkerEnded as ended:
        raise DeviceUnavailable(_end_text(connection, ended)) from ended
    finally:
        if not greeted:
            client.kill()


def _greeting(answer: object, nonce: str) -> Hello:
    if isinstance(answer, WireFault):
        raise InfrastructureError(f"the harness answered `hello` with a fault of a candidate: {answer.message}")
    hello = parse(Hello, getattr(answer, "body", None), "hello")
    if not hmac.compare_digest(hello.nonce, nonce):
        raise InfrastructureError(
            "the harness answered `hello` with another nonce than it was given: whatever answered is not the process that "
            "was started. Run `warpwright doctor`."
        )
    return hello


def _start(connection: Connection) -> HarnessClient:
    log = None
    if connection.log is not None:
        connection.log.mkdir(parents=True, exist_ok=True)
        log = connection.log / f"{secrets.token_hex(8)}.job"
    exchange = Exchange.make() if connection.sharing is not None else None
    command = connection.command
    if connection.sharing is not None and exchange is not None:
        command = connection.sharing(exchange.folder)
    try:
        client = HarnessClient(command, log, exchange)
    except OSError as error:
        if exchange is not None:
            exchange.remove()
        raise DeviceUnavailable(
            f"--device {connection.name}: {connection.command.arguments[0]} cannot be started ({error.strerror or error})."
            f"{_remedy(connection)}"
        ) from error
    if connection.on_start is not None:
        connection.on_start(client)
    return client


def _end_text(connection: Connection, ended: WorkerEnded) -> str:
    said = f" It said:\n{ended.stderr.strip()}" if ended.stderr.strip() else ""
    if ended.exit_code == _NO_DRIVER:
        return f"--device {connection.name}: the NVIDIA driver cannot be used there.{said}"
    command = shlex.join(connection.command.arguments)
    return f"--device {connection.name}: {command} did not answer ({ended}).{said}{_remedy(connection)}"


def _remedy(connection: Connection) -> str:
    """For a device behind a command; what is wrong with a GPU of this machine is found by `opening.py`."""
    if not connection.name.startswith("command:"):
        return ""
    program = shlex.join(connection.command.arguments[:-1])
    return f"\nThe command must start warpwright-harness; `{program} --version` must print its version."
