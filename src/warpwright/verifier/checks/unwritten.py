"""Elements that the candidate never wrote: they still hold the poison of both runs (V21)."""

import numpy as np

from warpwright.verifier.evidence import POISONS, Evidence, bytes_of
from warpwright.verifier.verdict import Finding
from warpwright.workload.values import Array


class Unwritten:
    """Finds poisoned elements exactly: no value equals both patterns, so no honest result is accused."""

    name = "unwritten"

    def examine(self, evidence: Evidence) -> tuple[Finding, ...]:
        """One finding per output with elements left over; silent unless there are two runs."""
        if len(evidence.runs) < len(POISONS):
            return ()
        findings = []
        for output in evidence.poisoned_outputs():
            left = left_over([run.arrays[output.name] for run in evidence.runs[: len(POISONS)]])
            count = int(left.sum())
            if count:
                first = tuple(int(i) for i in np.argwhere(left)[0])
                index = ", ".join(map(str, first))
                text = (
                    f"{evidence.where}: {count} of {left.size} elements of {output.name} were never written "
                    f"(first: {output.name}[{index}]). {grid_hint(evidence, left.size)}"
                )
                findings.append(Finding(self.name, "wrong_result.unwritten", text))
        return tuple(findings)


def left_over(arrays: list[Array]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """True for each element that holds nothing but poison in every run. arrays: one per pattern, in order."""
    shape, word = arrays[0].shape, np.dtype(f"u{arrays[0].dtype.itemsize}")
    untouched = np.ones(arrays[0].size, np.bool_)
    for poison, array in zip(POISONS, arrays, strict=True):
        pattern = np.frombuffer(bytes([poison]) * word.itemsize, word)[0]
        untouched &= bytes_of(array).view(word) == pattern
    return untouched.reshape(shape)


def grid_hint(evidence: Evidence, total: int) -> str:
    """What the grids reach, so that the reader sees at once whether they are too small."""
    parts = []
    for launch in evidence.plan.launches:
        threads = launch.grid_blocks * launch.block_threads
        name = f"{launch.entry}: " if len(evidence.plan.launches) > 1 else ""
        if threads < total:
            parts.append(f"{name}{launch.grid_blocks} blocks of {launch.block_threads} threads cover {threads}")
        else:
            parts.append(
                f"{name}grid {launch.grid} of block {launch.block} has {threads} threads, enough for one element each: "
                "look at index arithmetic, guards and loop bounds"
            )
    return f"Check the grid: {'; '.join(parts)}."
