"""PTX text to data: scopes, literals, places in the source, and what is said of text that is no PTX."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.jit.launching import compile_cuda, ptx_of
from warpwright.emulator.ptx import PtxSyntaxError, parse
from warpwright.emulator.ptx.ir import (
    Address,
    Immediate,
    Instruction,
    Label,
    Module,
    Negated,
    Pair,
    Register,
    SourceLine,
    Space,
    Special,
    Symbol,
    Vector,
)

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def body_of(text: str) -> list[Instruction]:
    (function,) = parse(ptx_of(text)).functions.values()
    return [s for s in function.body if isinstance(s, Instruction)]


def test_operands_of_every_kind() -> None:
    (load, store, move, select, shuffle) = body_of(
        "ld.global.v2.f32 {%f1, %f2}, [%rd1+-8];\nst.global.u32 [%rd2], 0x10;\nmov.u32 %r1, %tid.x;\n"
        "@!%p1 selp.b32 %r2, -1, 0f3F800000, !%p2;\nshfl.sync.bfly.b32 %r3|%p3, %r1, 1, 31, -1;"
    )
    assert load.modifiers == ("global", "v2", "f32")
    assert load.operands == (Vector((Register("%f1"), Register("%f2"))), Address(Register("%rd1"), -8))
    assert store.operands[1] == Immediate(16, 64)
    assert move.operands[1] == Special("tid", "x")
    assert select.guard is not None
    assert select.guard.negated
    assert select.operands[1:] == (
        Immediate((1 << 64) - 1, 64),
        Immediate(0x3F800000, 32, is_float=True),
        Negated(Register("%p2")),
    )
    assert shuffle.operands[0] == Pair(Register("%r3"), Register("%p3"))


def test_registers_of_nested_scopes_are_different() -> None:
    first, second, outer = body_of("{ .reg .b32 t; mov.b32 t, 1; }\n{ .reg .b64 t; mov.b64 t, 2; }\nmov.b32 %r1, 3;")
    names = [i.operands[0] for i in (first, second, outer)]
    assert len({n.name for n in names if isinstance(n, Register)}) == 3


def test_labels_of_nested_scopes_are_found_by_their_own_branches() -> None:
    text = "{ bra.uni L; L: ret; }\n{ bra.uni L; L: exit; }"
    (function,) = parse(ptx_of(text)).functions.values()
    branches = [s.operands[0] for s in function.body if isinstance(s, Instruction) and s.opcode == "bra"]
    labels = [s for s in function.body if isinstance(s, Label)]
    assert branches == labels
    assert len(set(labels)) == 2


def test_variables_with_initialisers_and_addresses() -> None:
    module = parse(
        HEAD + ".const .align 4 .f32 t[2] = {0f3F800000, 0f40000000};\n"
        ".global .align 8 .u64 p[2] = {t, t+4};\n.shared .align 16 .b8 s[64];\n.extern .shared .align 16 .b8 d[];\n"
    )
    assert module.variables["t"].initial == bytes.fromhex("0000803f00000040")
    assert module.variables["p"].relocations == {0: Symbol("t", 0), 8: Symbol("t", 4)}
    assert module.variables["s"].size_bytes == 64
    assert module.variables["d"].size_bytes is None
    assert module.variables["d"].space is Space.SHARED


def test_lines_point_into_the_source() -> None:
    source = 'extern "C" __global__ void k(int* a) {\n    int i = threadIdx.x;\n    a[i] = i;\n}\n'
    module: Module = parse(compile_cuda(source))
    (store,) = [s for s in module.functions["k"].body if isinstance(s, Instruction) and s.opcode == "st"]
    assert store.source == SourceLine("kernel.cu", 3)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (".version 8.0\n.target sm_80\n.nonsense;", 3),
        (HEAD + ".visible .entry k()\n{\nadd.s32 %r1, %r2;\n", 7),
        (HEAD + ".visible .entry k()\n{\nbra nowhere;\n}\n", 6),
    ],
    ids=["directive", "no closing brace", "no label"],
)
def test_a_mistake_names_its_line(text: str, line: int) -> None:
    with pytest.raises(PtxSyntaxError) as caught:
        parse(text)
    assert f"line {line}" in str(caught.value)


@given(st.data())
def test_damaged_text_is_read_or_refused_in_order(data: st.DataObject) -> None:
    text = ptx_of("{ .reg .b32 t; ld.global.b32 t, [%rd1]; @%p1 bra L; L: st.global.b32 [%rd1], t; }\nret;")
    place = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 6))
    damage = data.draw(st.text(alphabet="{}[];,.%@!|+-x0f:\n ", max_size=4))
    with contextlib.suppress(PtxSyntaxError):
        parse(text[:place] + damage + text[place + length :])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".file abc", "PTX line 1: expected a string, found the end"),
        (".global .b32 x = 089;", "PTX line 1: octal number '089' has a digit above 7"),
        ("\n.global .align 3 .b8 x;", "PTX line 2: alignment 3 is no power of two"),
        (".entry k(.param x) {}", "PTX line 1: expected a type before a name, found 'x'"),
        (
            ".entry k() {\n.reg .b32 %r<99999999999999>;\n}",
            "PTX line 2: expected a number up to 1048576, found 99999999999999",
        ),
        (".shared .b8 x[7777777777];", "PTX line 1: expected a number up to 1073741824, found 7777777777"),
        (
            ".shared .b8 x[1000000][1000000];",
            "PTX line 1: expected an array of at most 1073741824 elements, found ';'",
        ),
        (".entry k() { mov.b32 x, }; }", "PTX line 1: expected an operand, found '}'"),
        (".entry k() { \x00 }", "PTX line 1: unexpected character '\\x00'"),
    ],
    ids=["file", "octal", "alignment", "no type", "registers", "array", "array of arrays", "operand", "character"],
)
def test_damage_is_named(text: str, message: str) -> None:
    with pytest.raises(PtxSyntaxError) as caught:
        parse(text)
    assert str(caught.value) == message


SOURCE = """__constant__ float table[4] = {1, 2, 3, 4};
__device__ __noinline__ float f(float2 v, int n) { return v.x * table[n & 3] + v.y; }
extern "C" __global__ void __launch_bounds__(64) k(float* a, float2* b, int n) {
  __shared__ float s[64]; float local[8];
  for (int i = 0; i < 8; ++i) local[i] = a[i * n];
  s[threadIdx.x] = local[n & 7] + f(b[threadIdx.x], n);
  __syncthreads();
  if (s[63 - threadIdx.x] > 0) atomicAdd(a, s[threadIdx.x]);
}"""
WORDS = re.findall(r"\s+|[\w$%]+|.", compile_cuda(SOURCE))
DAMAGE = ["{", "}", "(", ")", "[", "]", ",", ";", "0", "-1", ".reg", ".param", '"', "%r1", "@", "!", "|", "<", ".b8", ".loc",
          ".file", "9" * 20, "08", "1e999", ".align", ".global", ":", "call", ".v4", "\x00"]  # fmt: skip
EDITS = st.lists(
    st.tuples(st.integers(0, len(WORDS) - 1), st.integers(0, 3), st.sampled_from(DAMAGE)), min_size=1, max_size=3
)


@given(EDITS)
def test_damaged_compiler_output_is_read_or_refused(edits: list[tuple[int, int, str]]) -> None:
    words = list(WORDS)
    for place, removed, added in edits:
        words[place : place + removed] = [added]
    with contextlib.suppress(PtxSyntaxError):
        parse("".join(words))
