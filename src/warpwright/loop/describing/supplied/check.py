"""Files of the person's own, looked at before a model is paid to write the rest: read, loaded, compiled; nothing is run."""

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.source import parse_source, require_valid
from warpwright.candidate.unseen import check_text
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import CompileFailed, CompileRequest
from warpwright.device.registry import open_device
from warpwright.errors import InputError, WorkloadError
from warpwright.evaluation.bench import BenchOptions
from warpwright.loop.describing.draft import KERNEL, ORACLE, SECOND, WORKLOAD_TOML
from warpwright.loop.describing.examination import without_folder
from warpwright.loop.describing.rules import form_faults
from warpwright.workload.form.reference_file import read_functions
from warpwright.workload.loader import load_workload
from warpwright.workload.model import DeviceKind, Workload

_STAND_INS = {ORACLE: "def reference(): ...\n\n\ndef make_inputs(dims, rng): ...\n", KERNEL: ""}
"""For what is not written yet, so that the loader can say what is wrong with the rest."""


@dataclass(frozen=True, slots=True)
class SuppliedFault:
    """file: its name in the workload. text: what is wrong with it."""

    file: str
    text: str


def check_supplied(supplied: Mapping[str, str], device: str, options: BenchOptions) -> tuple[str, list[SuppliedFault]]:
    """The device's own name, in place of `auto`, and everything wrong with the files, by their names in the workload.

    Raises: UsageError, UnavailableError if the device or the compiler cannot be had.
    """
    with ExitStack() as opened:
        chosen = open_device(device, options.device)
        opened.callback(chosen.close)
        if not supplied:
            return chosen.name, []
        folder = Path(opened.enter_context(TemporaryDirectory(prefix="warpwright-supplied-")))
        for name, text in {**_STAND_INS, **supplied}.items():
            (folder / name).write_text(text, encoding="utf-8")
        faults = [fault for name in supplied for fault in _read(folder, name, supplied)]
        workload = None
        if not faults and WORKLOAD_TOML in supplied:
            workload, faults = _loaded(folder, supplied, chosen.kind)
        if not faults:
            cache = None if options.cache_directory is None else options.cache_directory / "compiled"
            compiler = Compiler(cache, options.nvrtc, newest=chosen.target.cuda)
            opened.callback(compiler.close)
            faults = list(_compiled(compiler, chosen.target.arch, supplied, workload))
        return chosen.name, faults


def _read(folder: Path, name: str, supplied: Mapping[str, str]) -> Iterator[SuppliedFault]:
    """What is wrong with one file by itself."""
    try:
        check_text(Path(name), supplied[name], WorkloadError)
        if name == ORACLE and "reference" not in read_functions(folder / name):
            yield SuppliedFault(name, "defines no reference(...), the NumPy function that computes the outputs")
        if name.endswith(".cu"):
            kernels = require_valid(parse_source(supplied[name], name)).kernels
            if not kernels:
                yield SuppliedFault(name, "no __global__ function in it; a kernel is needed")
            elif name == SECOND and len(kernels) > 1 and not _declares_second(supplied):
                names = ", ".join(kernel.name for kernel in kernels)
                yield SuppliedFault(name, f"kernels found: {names}; give one, or a workload.toml with [reference]")
    except InputError as error:
        yield SuppliedFault(name, without_folder(str(error), folder))


def _loaded(
    folder: Path, supplied: Mapping[str, str], device: DeviceKind
) -> tuple[Workload | None, list[SuppliedFault]]:
    """The workload as far as it is there, and what is wrong with workload.toml."""
    if _declares_second(supplied) and SECOND not in supplied:
        text = f"[reference] without {SECOND}: supply that too, or leave the table out"
        return None, [SuppliedFault(WORKLOAD_TOML, text)]
    try:
        workload = load_workload(folder)
    except WorkloadError as error:
        return None, [SuppliedFault(WORKLOAD_TOML, without_folder(str(error), folder))]
    faults = form_faults(workload, device)
    for table, candidate, name in (
        ("kernel", workload.initial, KERNEL),
        ("reference", workload.reference_kernel, SECOND),
    ):
        if candidate is not None and candidate.source_name != name:
            faults.append(f'[{table}] source = "{candidate.source_name}"; the file will be {name}: leave source out')
    return workload, [SuppliedFault(WORKLOAD_TOML, fault) for fault in faults]


def _declares_second(supplied: Mapping[str, str]) -> bool:
    try:
        return "reference" in tomllib.loads(supplied.get(WORKLOAD_TOML, ""))
    except tomllib.TOMLDecodeError:
        return False  # the loader says where


def _compiled(
    compiler: Compiler, arch: str, supplied: Mapping[str, str], workload: Workload | None
) -> Iterator[SuppliedFault]:
    """What the compiler says of each kernel whose tunables are known."""
    requests = []
    if workload is not None and KERNEL in supplied:
        requests.append(_request(workload.initial, arch))
    if workload is not None and workload.reference_kernel is not None:
        requests.append(_request(workload.reference_kernel, arch))
    elif SECOND in supplied:
        entry = parse_source(supplied[SECOND], SECOND).kernels[0].name
        requests.append(CompileRequest(supplied[SECOND], SECOND, arch, (entry,), defines={}, headers={}))
    for request in requests:
        outcome = compiler.compile(request)
        if isinstance(outcome, CompileFailed):
            yield SuppliedFault(request.source_name, f"{outcome.reason}: {outcome.message}")


def _request(candidate: Candidate, arch: str) -> CompileRequest:
    """With the first value of each tunable."""
    values = {name: candidate.point.get(name, allowed[0]) for name, allowed in candidate.tunables.items()}
    entries = tuple(dict.fromkeys(launch.entry for launch in candidate.plan.launches))
    return CompileRequest(
        candidate.source, candidate.source_name, arch, entries, values, candidate.headers, candidate.options
    )
