"""What this machine offers for running candidates and what it lacks, each with its remedy: the facts behind `doctor`."""

import importlib.util
import platform
from collections.abc import Callable
from pathlib import Path

from warpwright.device.finding import Finding, Status
from warpwright.device.registry import DeviceOptions
from warpwright.errors import InfrastructureError, ToolchainUnavailable, UnavailableError

__all__ = ["Finding", "Status", "canary_finding", "machine_findings"]


def machine_findings(
    nvrtc: str | None = None, cuda_home: Path | None = None, options: DeviceOptions | None = None
) -> tuple[Finding, ...]:
    """Everything, in the order in which it is needed. nvrtc, cuda_home: as in `compiler.find_nvrtc`. Takes a second or so."""
    from warpwright.device.gpu_findings import gpu_findings
    from warpwright.device.registry import harness_options

    return (
        _python(),
        _nvrtc(nvrtc, cuda_home),
        _headers(nvrtc, cuda_home),
        _jit(),
        _processor(),
        _confinement(),
        *gpu_findings(harness_options(options or DeviceOptions())),
    )


def canary_finding(compile_and_run: Callable[[], str | None], name: str = "canary kernel") -> Finding:
    """Whether a small kernel compiles, runs and gives the right numbers (`canary.run_canary`)."""
    try:
        problem = compile_and_run()
    except (UnavailableError, InfrastructureError) as error:
        return Finding(name, Status.MISSING, str(error), None)
    if problem is None:
        return Finding(name, Status.OK, "saxpy compiled, ran and equals NumPy")
    return Finding(name, Status.MISSING, problem, "Report this: nothing measured here can be trusted.")


def _python() -> Finding:
    version = platform.python_version()
    detail = f"{platform.python_implementation()} {version} on {platform.system()} {platform.machine()}"
    return Finding("python", Status.OK, detail)


def _nvrtc(nvrtc: str | None, cuda_home: Path | None) -> Finding:
    from warpwright.compiler.toolchain import find_nvrtc

    try:
        found = find_nvrtc(nvrtc, cuda_home)
    except ToolchainUnavailable as error:
        return Finding("nvrtc", Status.MISSING, str(error), "pip install 'warpwright[cuda13]'")
    archs = found.supported_archs
    return Finding("nvrtc", Status.OK, f"{found.label} at {found.path}, sm_{archs[0]} to sm_{archs[-1]}")


def _headers(nvrtc: str | None, cuda_home: Path | None) -> Finding:
    from warpwright.compiler.toolchain import find_nvrtc

    try:
        folders = find_nvrtc(nvrtc, cuda_home).include_directories
    except ToolchainUnavailable:
        return Finding("cuda headers", Status.MISSING, "not looked for: they come with NVRTC", "Install NVRTC first.")
    wanted = {
        "cuda_fp16.h": "nvidia-cuda-runtime",
        "crt/mma.h": "nvidia-cuda-crt",
        "cuda/std/type_traits": "nvidia-cuda-cccl",
    }
    absent = {h: package for h, package in wanted.items() if not any((folder / h).is_file() for folder in folders)}
    if not absent:
        return Finding("cuda headers", Status.OK, ", ".join(str(folder) for folder in folders))
    names = ", ".join(absent)
    return Finding("cuda headers", Status.WARNING, f"without {names}", f"pip install {' '.join(absent.values())}")


def _jit() -> Finding:
    if importlib.util.find_spec("llvmlite") is None:
        return Finding(
            "emulator jit", Status.MISSING, "llvmlite is not installed", "pip install 'warpwright[emulator]'"
        )
    from importlib.metadata import version

    from warpwright.emulator import jit

    reason = jit.available()
    if reason is not None:
        return Finding("emulator jit", Status.MISSING, reason, "pip install --force-reinstall llvmlite")
    return Finding("emulator jit", Status.OK, f"llvmlite {version('llvmlite')}")


def _processor() -> Finding:
    flags = _cpu_flags()
    if flags is None:
        return Finding("processor", Status.OK, f"{platform.machine()}; vector extensions unknown")
    widest = next((name for name in ("avx512f", "avx2", "asimd", "avx", "sse4_2") if name in flags), None)
    if widest in ("avx512f", "avx2", "asimd"):
        return Finding("processor", Status.OK, f"{platform.machine()} with {widest}")
    detail = f"{platform.machine()} without AVX2: the emulator works, several times slower"
    return Finding("processor", Status.WARNING, detail, "Use a machine with AVX2 for large cases.")


def _cpu_flags() -> frozenset[str] | None:
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.is_file():
        return None
    for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return None


def _confinement() -> Finding:
    from warpwright.isolation.limits import landlock_version

    version = landlock_version()
    if version:
        return Finding("compiler sandbox", Status.OK, f"Landlock version {version}: the compiler reads headers only")
    detail = "no Landlock here: the compiler is held by the include policy alone"
    return Finding("compiler sandbox", Status.WARNING, detail, "Use Linux 5.13 or newer for kernels you do not trust.")
