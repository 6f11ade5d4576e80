"""The environment a worker gets: built, never inherited, so that no key, proxy or preload variable reaches it."""

import os
from collections.abc import Mapping

_PASSED_ON = frozenset(
    {
        "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
        "TMPDIR", "TEMP", "TMP",
        "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED",
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
