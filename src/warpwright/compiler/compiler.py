"""The compiler as the other parts use it: a request in, a binary or the reason why there is none out."""

import logging
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from queue import LifoQueue
from types import TracebackType
from typing import Any, Self

from warpwright.compiler.binding import SUCCESS
from warpwright.compiler.cache import CompileCache, cache_key
from warpwright.compiler.diagnostics import KnownFiles, parse_log
from warpwright.compiler.entries import is_expression, match_entries
from warpwright.compiler.failures import after_worker_end, from_log
from warpwright.compiler.policy import IncludePolicy, check_options
from warpwright.compiler.resources import UNKNOWN, parse_resources
from warpwright.compiler.result import Compiled, CompileFailed, CompileOutcome, CompileRequest
from warpwright.compiler.toolchain import Nvrtc, find_nvrtc
from warpwright.errors import ToolchainUnavailable
from warpwright.isolation.process import Reply, WorkerEnded, WorkerProcess

TIME_LIMIT_S = 30.0
"""Ordinary kernels take 30 to 100 ms, heavy headers 6 s; unrolled code has kept ptxas busy for 41 minutes (V32)."""

_LOGGER = logging.getLogger(__name__)


def stub_directory() -> Path:
    """Our small stand-ins for host headers that NVRTC does not have (`stdio.h`, `math.h`, ...)."""
    return Path(str(resources.files("warpwright.compiler") / "include"))


class Compiler:
    """NVRTC in worker processes that are kept warm and replaced after any abnormal end. Thread-safe.

    cache_directory: where binaries are kept for reuse; None: nowhere. nvrtc, newest: as in `find_nvrtc`.
    workers: compiles at a time.
    Raises: ToolchainUnavailable if there is no NVRTC.
    """

    def __init__(
        self,
        cache_directory: Path | None,
        nvrtc: str | None = None,
        time_limit_s: float = TIME_LIMIT_S,
        newest: tuple[int, int] | None = None,
        workers: int = 1,
    ) -> None:
        self._nvrtc = find_nvrtc(nvrtc, newest=newest)
        self._time_limit_s = time_limit_s
        self._cache = CompileCache(cache_directory)
        self._stubs = stub_directory()
        self._includes = (*self._nvrtc.include_directories, self._stubs)
        self._policy = IncludePolicy(self._includes)
        self._toolchain = _fingerprint(self._nvrtc, self._stubs)
        arguments = self._worker_arguments()
        made = (WorkerProcess("warpwright.compiler.worker", arguments, self._stubs) for _ in range(workers))
        self._workers = tuple(made)
        self._idle: LifoQueue[WorkerProcess] = LifoQueue()
        for worker in reversed(self._workers):
            self._idle.put(worker)

    @property
    def nvrtc(self) -> Nvrtc:
        """The NVRTC in use."""
        return self._nvrtc

    @property
    def include_directories(self) -> tuple[Path, ...]:
        """Where `#include` finds CUDA headers and stubs."""
        return self._includes

    @property
    def worker_pid(self) -> int | None:
        """Process id of the first worker that is running; None if none is."""
        return next((worker.pid for worker in self._workers if worker.pid is not None), None)

    @property
    def confined(self) -> bool:
        """Whether the worker can read nothing but headers, as far as the kernel enforces it; starts the worker."""
        with self._lent() as worker:
            self._start(worker)
            return bool(worker.greeting["confined"])

    def compile(self, request: CompileRequest) -> CompileOutcome:
        """Compile one translation unit, or take it from the cache.

        Raises: InfrastructureError if the worker does not start; everything else is an outcome.
        """
        started = time.perf_counter()
        refused = self._refuse(request)
        if refused is not None:
            return refused
        key = cache_key(request, self._toolchain)
        cached = self._cache.load(key)
        if cached is not None:
            return cached
        outcome = self._translate(request, started)
        if isinstance(outcome, Compiled):
            self._cache.store(key, outcome)
        return outcome

    def close(self) -> None:
        """End the workers, each after its compile."""
        for worker in [self._idle.get() for _ in self._workers]:
            worker.discard()
            self._idle.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _lent(self) -> Iterator[WorkerProcess]:
        worker = self._idle.get()
        try:
            yield worker
        finally:
            self._idle.put(worker)

    def _refuse(self, request: CompileRequest) -> CompileFailed | None:
        """Everything that is decided without compiling."""
        message = check_options(request.options, request.defines)
        if message is not None:
            return CompileFailed("policy", message, (), "", 0.0)
        if _arch_number(request.arch) not in self._nvrtc.supported_archs:
            low, high = self._nvrtc.supported_archs[0], self._nvrtc.supported_archs[-1]
            message = f"{self._nvrtc.label} compiles for sm_{low} to sm_{high}; {request.arch} was asked for."
            return CompileFailed("unsupported_arch", message, (), "", 0.0)
        refusal = self._policy.check(request.source, request.source_name, request.headers)
        if refusal is None:
            return None
        place = refusal.file if refusal.line is None else f"{refusal.file}({refusal.line})"
        return CompileFailed(refusal.reason, f"{place}: {refusal.message}", (refusal.diagnostic(),), "", 0.0)

    def _translate(self, request: CompileRequest, started: float) -> CompileOutcome:
        try:
            with self._lent() as worker:
                self._start(worker)
                reply = worker.call(self._message(request), time_limit_s=self._time_limit_s)
        except WorkerEnded as ended:
            _LOGGER.debug("compile worker ended: %s\n%s", ended, ended.stderr)
            return after_worker_end(ended, self._time_limit_s, time.perf_counter() - started)
        seconds = time.perf_counter() - started
        if reply.body["status"] != SUCCESS:
            return from_log(reply.body["status"], reply.body["log"], self._files(request), seconds)
        return self._compiled(request, reply, seconds)

    def _start(self, worker: WorkerProcess) -> None:
        worker.start()
        failure = worker.greeting["failure"]
        if failure:
            raise ToolchainUnavailable(
                f"{self._nvrtc.label} at {self._nvrtc.path} cannot compile an empty kernel: {failure.strip()} "
                "Its builtins library must lie beside it; install the package again."
            )

    def _compiled(self, request: CompileRequest, reply: Reply, seconds: float) -> CompileOutcome:
        log = parse_log(reply.body["log"], self._files(request))
        ptx = self._without_host_paths(reply.body["ptx"])
        lowered = match_entries(request.entries, ptx, reply.body["lowered"])
        if isinstance(lowered, str):
            message = f"{request.source_name}: {lowered}"
            return CompileFailed("entry_not_found", message, log.diagnostics, log.text, seconds)
        by_symbol = parse_resources(reply.body["log"])
        return Compiled(
            arch=request.arch,
            ptx=ptx,
            cubin=bytes(reply.buffers[0]),
            lowered=lowered,
            resources={entry: by_symbol.get(symbol, UNKNOWN) for entry, symbol in lowered.items()},
            diagnostics=log.diagnostics,
            log=log.text,
            compiler=self._nvrtc.label,
            seconds=seconds,
            cached=False,
        )

    def _files(self, request: CompileRequest) -> KnownFiles:
        return KnownFiles(request.source_name, frozenset(request.headers), self._includes)

    def _message(self, request: CompileRequest) -> dict[str, Any]:
        options = [
            f"--gpu-architecture={request.arch}",
            "--ptxas-options=-v",
            *(["-lineinfo"] if request.line_info else []),
            *([] if any("std=" in option for option in request.options) else ["--std=c++17"]),
            *request.options,
            *(f"-D{name}={value}" for name, value in request.defines.items()),
            *(f"--include-path={directory}" for directory in self._includes),
        ]
        return {
            "source": request.source,
            "source_name": request.source_name,
            "headers": dict(request.headers),
            "options": options,
            "expressions": [entry for entry in request.entries if is_expression(entry)],
        }

    def _worker_arguments(self) -> list[str]:
        library = Path(self._nvrtc.path)
        readable = [*self._includes, library.parent, library.resolve().parent, Path(sysconfig.get_paths()["stdlib"])]
        return [self._nvrtc.path, *dict.fromkeys(str(folder) for folder in readable)]

    def _without_host_paths(self, ptx: str) -> str:
        for directory in sorted(self._includes, key=lambda path: len(str(path)), reverse=True):
            ptx = ptx.replace(f'"{directory.as_posix()}/', '"')
        return ptx


def _arch_number(arch: str) -> int:
    digits = arch.removeprefix("sm_").rstrip("af")
    return int(digits) if digits.isdecimal() else 0


def _fingerprint(nvrtc: Nvrtc, stubs: Path) -> dict[str, Any]:
    """What else a binary depends on: the library, the headers beside it, our stubs, the options we add."""
    library = Path(nvrtc.path)
    stat = library.stat() if library.is_file() else None
    return {
        "version": list(nvrtc.version),
        "library_bytes": None if stat is None else stat.st_size,
        "includes": [_header_version(directory) for directory in nvrtc.include_directories],
        "stubs": {path.name: path.read_text(encoding="utf-8") for path in sorted(stubs.iterdir()) if path.is_file()},
    }


def _header_version(directory: Path) -> str:
    """Headers change with their package; the version macros stand in for reading 40 MB of them."""
    for name in ("cuda_runtime_api.h", "cuda/std/__cccl/version.h", "cuda/version"):
        path = directory / name
        if path.is_file():
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            return "\n".join(line for line in lines if "VERSION" in line and "#define" in line)
    return ""
