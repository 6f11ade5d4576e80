"""A harness that misbehaves: `python fake_harness.py MODE serve`. Answers `hello` in order unless the mode says otherwise."""

import json
import sys
import time
from typing import Any

HELLO = {
    "harness": "0.0",
    "build": "fake",
    "driver_version": 13000,
    "name": "Fake GPU",
    "uuid": "GPU-fake",
    "pci_bus_id": "0000:00:00.0",
    "compute_capability": [9, 0],
    "total_memory_bytes": 1 << 30,
    "attributes": {},
    "capabilities": {},
}


WRONG_FIELDS: dict[str, dict[str, Any]] = {
    "nonce": {"nonce": "0" * 32},
    "id": {"id": 2},
    "field": {"uuid": None},
    "type": {"driver_version": "13.0"},
    "attachment": {"npy_bytes": [10]},
    "old driver": {"driver_version": 11070},
}
WRONG_LINES = {
    "no object": "[1, 2]",
    "no json": "hello",
    "error": '{"id": 1, "error": {"kind": "driver", "message": "cuInit failed"}}',
    "fault": '{"id": 1, "fault": {"kind": "trap", "message": "a kernel trapped"}, "fatal": false}',
}


def answer(request: dict[str, Any], mode: str) -> str:
    body = {"id": request["id"], **HELLO, "nonce": request.get("nonce", ""), **WRONG_FIELDS.get(mode, {})}
    return WRONG_LINES.get(mode) or json.dumps(body)


def main() -> None:
    mode = sys.argv[1]
    for line in sys.stdin:
        if mode == "silent":
            time.sleep(600)
        if mode == "dies":
            sys.stderr.write("cannot go on\n")
            sys.exit(3)
        if mode == "no driver":
            sys.stderr.write("libcuda.so.1 is not there\n")
            sys.exit(71)
        sys.stdout.write(answer(json.loads(line), mode) + "\n" + ("x" * 10 if mode == "attachment" else ""))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
