"""Whether the GPU makes the same input values as NumPy, bit for bit: every recipe, every dtype, small and large.

python -m benchmarks.measurement.golden --output DIR [--device gpu:0]
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from benchmarks.measurement.machine import Machine, machine_of, opened, single_launch
from benchmarks.measurement.study import Study, parse_options, print_table

from warpwright.device.protocol import ArrayArgument, Faulted, Program, RunRequest, ScalarArgument
from warpwright.workload.dtypes import DTYPE_NAMES, element_type, integer_range
from warpwright.workload.generator import RecipeError, check_recipe, generate
from warpwright.workload.model import Role
from warpwright.workload.recipe import Generated, Recipe

ROOT = Path(__file__).parents[2]
LARGE = 1_000_003
KEY = 0x0123456789ABCDEFFEDCBA9876543210
COPY = """
extern "C" __global__ void copy(unsigned char* to, const unsigned char* from, long long bytes) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += (long long)gridDim.x * blockDim.x) {
        to[i] = from[i];
    }
}
"""

PROTOCOL = f"""A kernel copies an input that the GPU generates, and the copy is compared with NumPy's values as bytes: every row
of tests/golden/generated_values.json, and {LARGE} values of each recipe kind in each dtype that has it. Every second run
places the arrays at the end of their pages."""


def main() -> int:
    """1 if one bit differs."""
    options = parse_options(__doc__)
    study = Study("golden", PROTOCOL, options)
    with opened(options.device) as machine:
        study.describe(machine_of(machine.device))
        program = machine.compile(COPY, "copy")
        for number, (source, recipe, key, count) in enumerate(golden_cases()):
            name = f"{recipe.kind}({recipe.first}, {recipe.second}) {recipe.dtype} {key:032x} {count}"
            if study.has(source=source, name=name):
                continue
            if not study.time_left:
                break
            began = time.perf_counter()
            wrong = differing_bytes(machine, program, Generated(recipe, key), count, least=number % 2 == 1)
            row = {"source": source, "name": name, "kind": recipe.kind, "dtype": recipe.dtype, "count": count}
            study.add({**row, "wrong_bytes": wrong, "seconds": round(time.perf_counter() - began, 3)})
    return _report(study)


def golden_cases() -> Iterator[tuple[str, Recipe, int, int]]:
    """(where from, recipe, key, count)."""
    for row in json.loads((ROOT / "tests/golden/generated_values.json").read_text(encoding="utf-8")):
        number = int if row["kind"] == "integers" else float  # 64 bits do not fit in JSON's numbers: text
        recipe = Recipe(row["kind"], row["dtype"], number(row["first"]), number(row["second"]))
        yield "golden file", recipe, int(row["key"], 16), row["count"]
    for recipe in _recipes():
        yield "large", recipe, KEY, LARGE


def _recipes() -> Iterator[Recipe]:
    """Every kind in every dtype that has it."""
    for dtype in DTYPE_NAMES:
        element = element_type(dtype)
        last = 1000 if element.is_float else integer_range(element)[1]
        tried = [
            Recipe("normal", dtype, 0.25, 2.0),
            Recipe("uniform", dtype, -1.0, 3.0),
            Recipe("integers", dtype, 0, last),
            Recipe("ones", dtype),
        ]
        for recipe in tried:
            try:
                check_recipe(recipe)
            except RecipeError:
                continue
            yield recipe


def differing_bytes(machine: Machine, program: Program, made: Generated, count: int, *, least: bool) -> int:
    """Bytes of the copy that are not NumPy's. Raises: SystemExit if the kernel faults."""
    dtype = made.recipe.dtype
    element = element_type(dtype)
    shape, size = (count,), element.size_bytes
    ran = machine.device.run(
        RunRequest(
            program=program,
            plan=single_launch("copy", 256, 256, ("to", "from", "bytes")),
            arguments=(
                ArrayArgument("to", Role.OUT, dtype, shape, size, None),
                ArrayArgument("from", Role.IN, dtype, shape, size, None, generated=made),
                ScalarArgument("bytes", "int64", np.int64(count * size).tobytes()),
            ),
            least_alignment=least,
        )
    )
    if isinstance(ran, Faulted):
        raise SystemExit(f"the copy faulted: {ran.fault.message}")
    expected = generate(made.recipe, made.key, count)
    got = np.ascontiguousarray(ran.arrays["to"]).reshape(-1)
    return int(np.count_nonzero(got.view(np.uint8) != expected.view(np.uint8)))


def _report(study: Study) -> int:
    rows = study.rows
    kinds = list(dict.fromkeys((row["kind"], row["dtype"]) for row in rows))
    shown = []
    for kind, dtype in kinds:
        own = [row for row in rows if (row["kind"], row["dtype"]) == (kind, dtype)]
        shown.append((kind, dtype, len(own), sum(r["count"] for r in own), sum(r["wrong_bytes"] for r in own)))
    wrong = sum(row["wrong_bytes"] for row in rows)
    study.finish({"compared": len(rows), "values": sum(row["count"] for row in rows), "wrong_bytes": wrong})
    print_table("generated values", ("kind", "dtype", "runs", "values", "wrong bytes"), shown)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
