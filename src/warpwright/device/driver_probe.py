"""`python -m warpwright.device.driver_probe [LIBRARY]`: asks the NVIDIA driver and writes `key value` lines.

Source: CUDA Driver API, `cuInit`, `cuDriverGetVersion`, `cuDeviceGetCount`, `cuDeviceGetName`.
"""

import ctypes
import sys
from collections.abc import Iterator

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"

_ERROR_NO_DEVICE = 100


def probe(library: str = LIBRARY) -> Iterator[str]:
    """What can be found out, one fact a line."""
    try:
        driver = ctypes.CDLL(library)
    except OSError:
        yield "absent -"
        return
    version = ctypes.c_int()
    if driver.cuDriverGetVersion(ctypes.byref(version)) == 0:
        yield f"version {version.value // 1000}.{version.value % 1000 // 10}"
    code = driver.cuInit(0)
    if code != 0:
        if code != _ERROR_NO_DEVICE:
            yield f"problem cuInit failed with error {code}"
        return
    count = ctypes.c_int()
    driver.cuDeviceGetCount(ctypes.byref(count))
    for index in range(count.value):
        name = ctypes.create_string_buffer(256)
        driver.cuDeviceGetName(name, 256, index)
        yield f"gpu {name.value.decode('utf-8', 'replace')}"


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in probe(*sys.argv[1:2])))
