"""What is refused of a source where there is no compiler: the same as the compiler refuses, in the same words."""

from pathlib import Path
from types import MappingProxyType

import pytest

from warpwright.candidate.candidate import Candidate, Launch, LaunchPlan
from warpwright.compiler.compiler import stub_directory
from warpwright.compiler.policy import IncludePolicy
from warpwright.evaluation.building.policy import check_source

KERNEL = 'extern "C" __global__ void k() {}\n'


def candidate(source: str, options: tuple[str, ...] = ()) -> Candidate:
    headers = MappingProxyType({"rows.h": ""})
    return Candidate(source, LaunchPlan((Launch("k", ("1",), ("32",)),)), options=options, headers=headers)


@pytest.mark.parametrize(
    "line",
    [
        '#include "/etc/passwd"',
        '#include "../kernel.cu"',
        '#include "cuda/../../x.h"',
        '#define F "x.h"\n#include F',
        '#import "x.h"',
        '#embed "x.bin"',
        "#if __has_include(<x.h>)\n#endif",
        '#line 7 "x.cu"',
        "#include <thrust/sort.h>",
        'asm(".incbin \\"x\\"");',
        "??=include <x.h>",
    ],
)
def test_what_is_refused_is_refused_with_the_compilers_words(line: str) -> None:
    source = f"{line}\n{KERNEL}"
    refusal = IncludePolicy((stub_directory(),)).check(source, "kernel.cu", {"rows.h": ""})
    assert refusal is not None
    said = check_source(candidate(source))
    assert said is not None
    assert said.endswith(refusal.message)
    assert said.startswith("kernel.cu")


@pytest.mark.parametrize("line", ["#include <cuda_fp16.h>", '#include "rows.h"', "#include <stdint.h>", "#pragma once"])
def test_what_may_be_a_header_passes(line: str) -> None:
    assert check_source(candidate(f"{line}\n{KERNEL}")) is None


def test_whether_a_header_exists_is_left_to_the_compiler(tmp_path: Path) -> None:
    source = f"#include <no_such_header.h>\n{KERNEL}"
    assert check_source(candidate(source)) is None
    assert IncludePolicy((tmp_path,)).check(source, "kernel.cu", {}) is not None


def test_an_option_outside_the_list_is_named() -> None:
    said = check_source(candidate(KERNEL, ("-I/etc",)))
    assert said is not None
    assert '"-I/etc" is not allowed' in said
    assert check_source(candidate(KERNEL, ("--use_fast_math",))) is None
