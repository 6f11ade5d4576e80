"""Reading what NVRTC and ptxas print, and the names they give."""

from pathlib import Path

import pytest

from warpwright.compiler.diagnostics import KnownFiles, parse_log
from warpwright.compiler.entries import is_expression, readable_name
from warpwright.compiler.resources import parse_resources
from warpwright.compiler.result import Diagnostic, KernelResources

FILES = KnownFiles("kernel.cu", frozenset({"tile.h"}), (Path("/cuda/include"), Path("/cuda/include/cccl")))

LOGS = {
    "error": ('kernel.cu(4): error: expected a ";"', [Diagnostic("kernel.cu", 4, "error", 'expected a ";"')]),
    "warning with number": (
        "kernel.cu(2): warning #177-D: variable x was declared",
        [Diagnostic("kernel.cu", 2, "warning", "variable x was declared")],
    ),
    "catastrophic": (
        'tile.h(1): catastrophic error: cannot open source file "b.h"',
        [Diagnostic("tile.h", 1, "error", 'cannot open source file "b.h"')],
    ),
    "cuda header": (
        "/cuda/include/cccl/cuda/std/cmath(61): error: bad /cuda/include/x.h",
        [Diagnostic("cuda/std/cmath", 61, "error", "bad x.h")],
    ),
    "warning of a cuda header": ("/cuda/include/cuda_fp16.h(61): warning: old", []),
    "host file": (
        "/etc/passwd(1): error: identifier root is undefined",
        [Diagnostic("(another file)", None, "error", "a message about a file that is not part of the candidate")],
    ),
    "host file by way of a cuda folder": (
        "/cuda/include/../../etc/passwd(1): error: identifier root is undefined",
        [Diagnostic("(another file)", None, "error", "a message about a file that is not part of the candidate")],
    ),
    "assembler": (
        "ptxas application ptx input, line 25; error   : Unknown symbol '%r1'",
        [Diagnostic("ptxas", None, "error", "Unknown symbol '%r1'")],
    ),
    "option": (
        "nvrtc: error: unrecognized option --x",
        [Diagnostic("nvrtc", None, "error", "unrecognized option --x")],
    ),
    "nothing": ("ptxas info    : 0 bytes gmem\n\n1 error detected in the compilation.", []),
}


@pytest.mark.parametrize(("log", "expected"), LOGS.values(), ids=LOGS)
def test_messages_are_placed(log: str, expected: list[Diagnostic]) -> None:
    assert list(parse_log(log, FILES).diagnostics) == expected


def test_source_text_is_shown_of_the_users_files_only() -> None:
    log = "kernel.cu(1): error: a\n  mine\n  ^\n\n/etc/passwd(1): error: b\n  root:x:0:0\n  ^\n"
    assert parse_log(log, FILES).text == (
        "kernel.cu(1): error: a\n  mine\n  ^\n"
        "(another file): error: a message about a file that is not part of the candidate"
    )


def test_a_flood_of_messages_is_cut_and_counted() -> None:
    parsed = parse_log("".join(f"kernel.cu({n}): error: e\n" for n in range(1, 101)), FILES)
    assert len(parsed.diagnostics) == 40
    assert parsed.text.endswith("\n... and 60 more messages")


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("saxpy", "saxpy"),
        ("_Z6kernelPf", "kernel"),
        ("_Z4fillIfLi4EEvPT_", "fill"),
        ("_ZN5inner4zeroEPi", "inner::zero"),
        ("_ZL1k", "_ZL1k"),
    ],
)
def test_mangled_names_are_readable(symbol: str, name: str) -> None:
    assert readable_name(symbol) == name


@pytest.mark.parametrize(
    ("entry", "expression"), [("k", False), ("_k9", False), ("k<float>", True), ("a::k", True), ("9k", True)]
)
def test_which_entries_are_expressions(entry: str, expression: bool) -> None:
    assert is_expression(entry) is expression


def test_resources_of_every_kernel_are_read_from_the_assemblers_report() -> None:
    log = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
ptxas         .     128 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 128 bytes cumulative stack size, 4096 bytes smem
ptxas info    : Compile time = 1.6 ms
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Used 8 registers, used 0 barriers
"""
    assert parse_resources(log) == {
        "a": KernelResources(40, 4096, 128, 8, 12),
        "b": KernelResources(8, 0, None, None, None),
    }
