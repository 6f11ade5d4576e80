"""Which modules can remember from launch to launch."""

import pytest

from warpwright.verifier.module_state import check_module, module_state

HEAD = ".version 8.5\n.target sm_90\n.address_size 64\n"


def module(declaration: str, body: str) -> str:
    return f"{HEAD}{declaration}\n.visible .entry k(.param .u64 k_param_0)\n{{\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"


WRITABLE = {
    "direct store": (".global .align 4 .u32 state;", "st.global.u32 [state], %r1;"),
    "store through a register": (
        ".visible .global .align 4 .u32 state;",
        "mov.u64 %rd1, state;\nadd.s64 %rd2, %rd1, %rd7;\n@%p1 st.global.u32 [%rd2+4], %r1;",
    ),
    "atomic": (".global .align 4 .u32 state = 0;", "$L__BB0_1:\natom.global.add.u32 %r1, [state], 1;"),
    "vector store, split address": (
        ".global .align 16 .b8 state[64] = {1, 2};",
        "mov.u64 %rd1, state;\nmov.b64 {%r1, %r2}, %rd1;\nmov.b64 %rd2, {%r1, %r2};\nst.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};",
    ),
    "address stored away": (".global .align 4 .u32 state;", "mov.u64 %rd1, state;\nst.global.u64 [%rd3], %rd1;"),
    "address handed to a call": (
        ".global .align 4 .u32 state;",
        "mov.u64 %rd1, state;\n{\n.param .b64 param0;\nst.param.b64 [param0+0], %rd1;\ncall.uni other, (param0);\n}",
    ),
    "loop carried register": (
        ".global .align 4 .u32 state;",
        "$L0:\nst.global.u32 [%rd2], %r1;\nmov.u64 %rd2, %rd1;\nmov.u64 %rd1, state;\nbra $L0;",
    ),
    "asynchronous copy": (".global .align 4 .u32 state;", "cp.async.bulk.global.shared::cta [state], [%r1], 16;"),
}


@pytest.mark.parametrize(("declaration", "body"), WRITABLE.values(), ids=WRITABLE)
def test_a_global_that_may_be_written_is_named(declaration: str, body: str) -> None:
    assert module_state(module(declaration, body)).writable == ("state",)


READ_ONLY = {
    "no global": ("", "st.global.u32 [%rd1], %r1;"),
    "table read": (
        ".global .align 4 .b8 table[16] = {1, 0, 0, 0, 2};",
        "mov.u64 %rd1, table;\nadd.s64 %rd2, %rd1, %rd7;\nld.global.nc.u32 %r1, [%rd2];\nst.global.u32 [%rd5], %r1;",
    ),
    "constant": (".const .align 4 .u32 state;", "ld.const.u32 %r1, [state];\nst.global.u32 [%rd5], %r1;"),
    "shared": (".shared .align 4 .b8 state[16];", "st.shared.u32 [state], %r1;"),
    "named in a comment": ("// .global .u32 state;", "st.global.u32 [state], %r1;"),
    "copied from": (".global .align 4 .b8 table[16];", "cp.async.ca.shared.global [%r1], [table], 16;"),
}


@pytest.mark.parametrize(("declaration", "body"), READ_ONLY.values(), ids=READ_ONLY)
def test_a_module_that_cannot_remember_is_not_accused(declaration: str, body: str) -> None:
    assert check_module(module(declaration, body)) is None


def test_writable_memory_is_a_question_not_a_proof() -> None:
    finding = check_module(module(".global .align 4 .u32 hits;", "red.global.add.u32 [hits], 1;"))
    assert finding is not None
    assert finding.label == "suspicious.writable_global"
    assert finding.message == (
        "the module has writable global memory (hits) that could carry results from one launch to the next. "
        "Declare [[kernel.scratch]] and take it as a parameter, or make it const or __constant__."
    )


@pytest.mark.parametrize("name", ["malloc", "free", "vprintf"])
def test_calls_that_outlive_a_launch_are_refused(name: str) -> None:
    finding = check_module(module("", f"{{\n.param .b64 p0;\ncall.uni (r0), {name}, (p0);\n}}"))
    assert finding is not None
    assert finding.label == "invalid_plan.policy"
    assert finding.message.startswith(f"the kernel calls {name}: ")
