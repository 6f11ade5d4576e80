"""LLVM at work: IR text to an object file for this CPU, and object files to callable addresses.

llvmlite is imported where it is used, so that `available` can say that it is missing.
"""

import ctypes
import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from warpwright.emulator.jit.codegen.target import HostCpu
from warpwright.errors import WarpwrightError

if TYPE_CHECKING:
    import llvmlite.binding as llvm

CODE_GENERATION_LEVEL = 2
"""Level 0 code runs 2-4 times slower; level 3 gains nothing on explicit vectors (emulator.md section 4)."""


@functools.cache
def host_cpu() -> HostCpu:
    """This machine's CPU."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    wide = all(features.get(name, False) for name in ("avx512f", "avx512bw", "avx512vl", "avx512dq"))
    width = 512 if wide else 256 if features.get("avx2", False) else 128
    has_f16c = bool(features.get("f16c", False))
    return HostCpu(llvm.get_host_cpu_name(), features.flatten(), has_f16c, wide, width)


def versions(cpu: HostCpu) -> str:
    """What generated code depends on besides its text."""
    import llvmlite

    return f"llvmlite {llvmlite.__version__} cpu {cpu.name} {cpu.features} level {CODE_GENERATION_LEVEL}"


def compile_object(ir_text: str, cpu: HostCpu, *, optimise: bool) -> bytes:
    """An object file for a CPU that this one can stand in for.

    optimise: run the middle-end too (the runtime); kernels go without, their vectors are explicit.
    Raises: WarpwrightError if LLVM refuses the text, which is a fault of the code generator.
    """
    import llvmlite.binding as llvm

    machine = _target_machine(cpu)
    try:
        module = llvm.parse_assembly(f'target triple = "{llvm.get_process_triple()}"\n{ir_text}')
    except RuntimeError as problem:
        raise WarpwrightError(f"LLVM refuses the code that was generated for this kernel: {problem}") from problem
    if optimise:
        tuning = llvm.create_pipeline_tuning_options(speed_level=2)
        builder = llvm.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


class Loaded:
    """An object file in memory, ready to call. Keep it alive as long as its addresses are in use."""

    def __init__(self, object_file: bytes, symbols: Mapping[str, int]) -> None:
        import llvmlite.binding as llvm

        for name, address in symbols.items():
            llvm.add_symbol(name, address)
        empty = llvm.parse_assembly(f'target triple = "{llvm.get_process_triple()}"')
        self._engine = llvm.create_mcjit_compiler(empty, _target_machine(host_cpu()))
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Address of a function.

        Raises: KeyError if the object has none of that name.
        """
        address = int(self._engine.get_function_address(name))
        if address == 0:
            raise KeyError(name)
        return address


def _target_machine(cpu: HostCpu) -> "llvm.TargetMachine":
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(cpu=cpu.name, features=cpu.features, opt=CODE_GENERATION_LEVEL, jit=True)


def call_pointer(address: int, arguments: int) -> Callable[..., int]:
    """A callable taking that many pointers, giving an int; the interpreter lock is released while it runs."""
    function: Callable[..., int] = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * arguments)(address)
    return function
