"""Requests about the kernels of the stand-in driver's registry (`tests/standin/kernels_test.cpp`)."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from warpwright.workload.generator import generate
from warpwright.workload.recipe import Recipe

Body = dict[str, Any]

OWN_KERNELS = (
    "ww_generate",
    "ww_differ",
    "ww_fill_shared",
    "ww_empty",
    "ww_spin",
    "ww_flush_write",
    "ww_read",
    "ww_demote",
    "ww_block",
    "ww_clock",
    "ww_seal_sum",
    "ww_seal_check",
)
NORMAL = {"kind": "normal", "dtype": "float32", "first": 0.0, "second": 1.0}
UNIFORM = {"kind": "uniform", "dtype": "float32", "first": 1.0, "second": 2.0}


def image(*kernels: str, variables: Sequence[str] = ()) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A text image for `load`: image("axpb duration_us=12", variables=["counter bytes=4"])."""
    lines = [*(f"kernel {line}" for line in kernels), *(f"variable {line}" for line in variables)]
    return np.frombuffer(("standin\n" + "".join(f"{line}\n" for line in lines) + "end\n").encode(), np.uint8)


def array(name: str, role: str, count: int, recipe: Body | None = None, **changed: Any) -> Body:
    """One float32 array of a request."""
    spec = {
        "name": name,
        "role": role,
        "dtype": "<f4",
        "shape": [count],
        "align_bytes": 4,
        "zeroed": False,
        "recipe": recipe,
        "pool": [],
    }
    return spec | changed


def scalar(name: str, value: float | int) -> Body:
    """A float32 or an int32."""
    packed = struct.pack("<i" if isinstance(value, int) else "<f", value)
    return {"name": name, "hex": packed.hex()}


def launch(symbol: str, args: Sequence[str], count: int) -> Body:
    """128 threads a block, one thread an element."""
    return {
        "symbol": symbol,
        "grid": [max(1, -(-count // 128)), 1, 1],
        "block": [128, 1, 1],
        "shared_bytes": 0,
        "cluster": None,
        "cooperative": False,
        "args": list(args),
    }


def key(number: int) -> str:
    """A 128-bit key as it crosses the wire."""
    return format(number, "032x")


@dataclass(frozen=True, slots=True)
class Axpb:
    """y = a x + b on `count` elements, x and b generated; a = 2.5."""

    count: int = 1000
    module: str = "candidate"
    launch: Body = field(default_factory=dict)
    y: Body = field(default_factory=dict)
    x: Body = field(default_factory=dict)

    @property
    def plan(self) -> Body:
        """One launch."""
        return {"launches": [launch("axpb", ("y", "x", "b", "a", "n"), self.count) | self.launch]}

    @property
    def arrays(self) -> list[Body]:
        """Output and inputs."""
        return [
            array("y", "out", self.count, **self.y),
            array("x", "in", self.count, **{"recipe": NORMAL, **self.x}),
            array("b", "in", self.count, UNIFORM),
        ]

    @property
    def scalars(self) -> list[Body]:
        """a and n."""
        return [scalar("a", 2.5), scalar("n", self.count)]

    @staticmethod
    def values(number: int = 1) -> Body:
        """Keys that no other number has."""
        return {"x": key(2 * number), "b": key(2 * number + 1)}

    def run(self, **changed: Any) -> Body:
        """The fields of a `run` request."""
        fields = {
            "module": self.module,
            "plan": self.plan,
            "arrays": self.arrays,
            "scalars": self.scalars,
            "values": self.values(),
            "poison": 0xFF,
            "guard": 0xA5,
            "placement": "start",
            "fill_shared": True,
            "plain_memory": False,
            "time_limit_s": 10.0,
            "return": ["y"],
        }
        return fields | changed

    def block(self, launches: int = 10, first: int = 1, keep: Sequence[int] = (), contestant: int = 0) -> Body:
        """A block whose launches have the values first, first + 1 ..."""
        scheduled = [{"values": self.values(first + i), "keep": i in keep} for i in range(launches)]
        return {"contestant": contestant, "launches": scheduled}

    def time(self, *blocks: Body, **changed: Any) -> Body:
        """The fields of a `time` request with one contestant."""
        fields = {
            "contestants": [{"module": self.module, "plan": self.plan}],
            "arrays": self.arrays,
            "scalars": self.scalars,
            "blocks": list(blocks),
            "sets": 10,
            "cold": True,
            "flushes": 1,
            "spin_ms": 50.0,
            "blocker": True,
            "time_limit_s": 20.0,
        }
        return fields | changed


def expected(count: int, number: int = 1) -> np.ndarray[Any, np.dtype[np.float32]]:
    """What `Axpb(count)` gives for the values of that number."""
    x = generate(Recipe("normal", "float32", 0.0, 1.0), 2 * number, count)
    b = generate(Recipe("uniform", "float32", 1.0, 2.0), 2 * number + 1, count)
    y: np.ndarray[Any, np.dtype[np.float32]] = np.float32(2.5) * x + b
    return y
