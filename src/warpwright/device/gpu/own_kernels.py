"""The harness's own kernels, compiled for one GPU: generators, comparison, flush, blocker, clock (`kernels/`)."""

import re
from dataclasses import dataclass
from importlib import resources

from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import CompileFailed, CompileRequest
from warpwright.errors import InfrastructureError, ToolchainUnavailable

OWN_MODULE = "warpwright"
EMPTY_KERNEL = "ww_empty"
_SOURCE = "harness.cu"
_KERNEL = re.compile(r"__global__[^;{]*?\b(ww_\w+)\s*\(")


@dataclass(frozen=True, slots=True)
class OwnKernels:
    """A cubin and the kernels in it."""

    cubin: bytes
    symbols: tuple[str, ...]


def compile_own_kernels(compiler: Compiler, arch: str) -> OwnKernels:
    """Compile them, or take them from the compiler's cache.

    Raises: ToolchainUnavailable if this NVRTC cannot serve that GPU; InfrastructureError if they do not compile.
    """
    folder = resources.files("warpwright.device.gpu") / "kernels"
    texts = {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith((".cu", ".cuh"))
    }
    symbols = tuple(sorted({name for text in texts.values() for name in _KERNEL.findall(text)}))
    headers = {name: text for name, text in texts.items() if name != _SOURCE}
    outcome = compiler.compile(CompileRequest(texts[_SOURCE], _SOURCE, arch, symbols, defines={}, headers=headers))
    if isinstance(outcome, CompileFailed):
        if outcome.reason == "unsupported_arch":
            raise ToolchainUnavailable(f"{outcome.message} Install a CUDA compiler for this GPU: `warpwright doctor`.")
        raise InfrastructureError(f"the harness's own kernels do not compile: {outcome.message}\n{outcome.log}")
    return OwnKernels(outcome.cubin, symbols)
