"""Which GPUs the words after `gpu:` mean: one, several that must be equal, or all."""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from warpwright.device.driver import find_driver
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.gpu.opening import absence, check_word, open_gpu
from warpwright.device.gpu.process.connection import HarnessOptions
from warpwright.device.gpu.several import SeveralGpus
from warpwright.errors import DeviceUnavailable, UsageError
from warpwright.hardware import GpuSpec
from warpwright.units import format_bytes

ALL = "all"


def open_gpus(which: str, options: HarnessOptions) -> GpuDevice | SeveralGpus:
    """The GPU or GPUs of `gpu:WHICH`. which: what `open_gpu` takes, several of these with commas between, or `all`.

    Raises: UsageError for other words, a GPU named twice, or GPUs that are not equal; DeviceUnavailable.
    """
    words = _every(options) if which == ALL else tuple(which.split(","))
    if len(words) == 1:
        return open_gpu(words[0], options)
    for word in words:
        check_word(word)
    asked = f"gpu:{which}"
    _refuse_twice(asked, words)
    with ExitStack() as undo:
        gpus = _opened(words, options, undo)
        _refuse_twice(asked, [gpu.identity["uuid"] for gpu in gpus])
        told = inequality([gpu.spec for gpu in gpus], words)
        if told is not None:
            raise UsageError(f"--device {asked}: {told}")
        undo.pop_all()
    return SeveralGpus(f"gpu:{','.join(words)}", gpus)


def inequality(specs: Sequence[GpuSpec], words: Sequence[str]) -> str | None:
    """How GPUs differ and what to choose instead; None if all are equal. words: what each is called after `gpu:`."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for spec, word in zip(specs, words, strict=True):
        groups[_traits(spec)].append(word)
    if len(groups) <= 1:
        return None
    those = "; ".join(f"{_listed(group)}: {', '.join(traits)}" for traits, group in groups.items())
    choices = " or ".join(f"--device {_listed(group)}" for group in sorted(groups.values(), key=len, reverse=True))
    return (
        f"these GPUs are not equal ({those}), so what one of them verifies says little about a time of another. "
        f"Choose {choices}."
    )


def _every(options: HarnessOptions) -> tuple[str, ...]:
    driver = find_driver(options.driver)
    if not driver.gpus:
        raise DeviceUnavailable(absence(f"gpu:{ALL}", "0", driver) or f"--device gpu:{ALL}: no GPU was found.")
    return tuple(str(index) for index in range(len(driver.gpus)))


def _refuse_twice(asked: str, words: Sequence[str]) -> None:
    seen = [word.lstrip("0") or "0" if word.isdecimal() else word.lower() for word in words]
    twice = next((word for word, key in zip(words, seen, strict=True) if seen.count(key) > 1), None)
    if twice is not None:
        raise UsageError(f"--device {asked}: GPU {twice} is named twice. Name each GPU once: gpu:0,1.")


def _opened(words: Sequence[str], options: HarnessOptions, undo: ExitStack) -> list[GpuDevice]:
    """All at the same time, since each takes a second or more. undo: closes what was opened by then."""
    with ThreadPoolExecutor(max_workers=len(words), thread_name_prefix="open-gpu") as threads:
        begun = [threads.submit(open_gpu, word, options) for word in words]
    for each in begun:
        if each.exception() is None:
            undo.callback(each.result().close)
    return [each.result() for each in begun]


def _traits(spec: GpuSpec) -> tuple[str, ...]:
    return (spec.name, spec.arch, f"{spec.sm_count} SMs", _size(spec.memory.dram_bytes))


def _size(size_bytes: int) -> str:
    """To the byte where the rounded text would hide a difference."""
    return f"{format_bytes(size_bytes)} ({size_bytes} bytes)"


def _listed(words: Sequence[str]) -> str:
    return f"gpu:{','.join(words)}"
