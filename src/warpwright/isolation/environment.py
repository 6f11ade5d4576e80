"""The environment a worker gets: built, never inherited, so that no key, proxy or preload variable reaches it."""

import os
import tempfile
from collections.abc import Iterable, Mapping

_PASSED_ON = frozenset(
    {
        "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
        "TMPDIR", "TEMP", "TMP",
        "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "VIRTUAL_ENV", "PYTHONHASHSEED",
        "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX",
        "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
    }
)  # fmt: skip
_SINGLE_THREADED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def worker_environment(inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """Only what an interpreter needs to start, from `inherited` (default: this process's environment).

    Linear-algebra libraries are held to one thread: workers run beside each other.
    """
    source = os.environ if inherited is None else inherited
    kept = {name: value for name, value in source.items() if name.upper() in _PASSED_ON}
    return {**kept, **_SINGLE_THREADED, "PYTHONUTF8": "1"}


_GPU_PASSED_ON = frozenset(
    {
        "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH",
        "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES",
        "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES",
        "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
    }
)  # fmt: skip
_GPU_SETTINGS = {"CUDA_CACHE_DISABLE": "1", "CUDA_MODULE_LOADING": "EAGER"}
"""No machine code outside our own cache; no module is loaded while a launch is held back."""

_REMOTE_PASSED_ON = frozenset(
    {"HOME", "USER", "USERNAME", "USERPROFILE", "LOGNAME", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "XDG_RUNTIME_DIR", "TERM"}
)
"""What ssh needs to find its keys; the far side gets nothing of it."""


def gpu_environment(
    temporary: str, also: Iterable[str] = (), inherited: Mapping[str, str] | None = None
) -> dict[str, str]:
    """For a process that drives a GPU here: no home, no keys, no preload or CUDA injection.

    temporary: its own folder. also: names of more variables to pass on.
    """
    source = os.environ if inherited is None else inherited
    passed = _GPU_PASSED_ON.union(also)
    kept = {name: value for name, value in source.items() if name.upper() in passed}
    return {**kept, **_GPU_SETTINGS, "TMPDIR": temporary, "TEMP": temporary, "TMP": temporary}


def driver_environment() -> dict[str, str]:
    """For an interpreter that asks the driver which GPUs there are: it must see the same ones."""
    return {**gpu_environment(tempfile.gettempdir()), **worker_environment()}


def remote_environment(inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """For a command that leads to a GPU elsewhere, such as ssh."""
    source = os.environ if inherited is None else inherited
    passed = _GPU_PASSED_ON | _REMOTE_PASSED_ON
    return {**{name: value for name, value in source.items() if name.upper() in passed}, **_GPU_SETTINGS}
