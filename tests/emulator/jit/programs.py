"""Random kernels in PTX: arithmetic, guards, branches, loops with trip counts that differ by lane, shared and global
memory, atomics, shuffles and barriers. Two full warps; shuffles and barriers only where all lanes are together.
"""

from hypothesis import strategies as st

INTEGER_OPERATIONS = (
    "add.s32 {d}, {a}, {b}", "sub.s32 {d}, {a}, {b}", "mul.lo.s32 {d}, {a}, {b}", "mad.lo.s32 {d}, {a}, {b}, {c}",
    "mul.hi.u32 {d}, {a}, {b}", "and.b32 {d}, {a}, {b}", "or.b32 {d}, {a}, {b}", "xor.b32 {d}, {a}, {b}",
    "not.b32 {d}, {a}", "shl.b32 {d}, {a}, {b}", "shr.u32 {d}, {a}, {b}", "shr.s32 {d}, {a}, {b}",
    "min.s32 {d}, {a}, {b}", "max.u32 {d}, {a}, {b}", "popc.b32 {d}, {a}", "clz.b32 {d}, {a}", "brev.b32 {d}, {a}",
    "div.u32 {d}, {a}, {b}", "rem.s32 {d}, {a}, {b}", "prmt.b32 {d}, {a}, {b}, 0x3175", "lop3.b32 {d}, {a}, {b}, {c}, 0x96",
    "selp.b32 {d}, {a}, {b}, {p}", "bfe.u32 {d}, {a}, 5, 11", "shf.l.wrap.b32 {d}, {a}, {b}, {c}", "mov.u32 {d}, {i}",
    "cvt.rzi.s32.f32 {d}, {f}", "mov.b32 {d}, {f}", "mul.wide.u32 %rd1, {a}, {b}; cvt.u32.u64 {d}, %rd1",
    "cvt.s16.s32 %rs1, {a}; cvt.s32.s16 {d}, %rs1",
)  # fmt: skip
FLOAT_OPERATIONS = (
    "add.f32 {e}, {f}, {g}", "sub.f32 {e}, {f}, {g}", "mul.f32 {e}, {f}, {g}", "fma.rn.f32 {e}, {f}, {g}, {h}",
    "min.f32 {e}, {f}, {g}", "max.f32 {e}, {f}, {g}", "neg.f32 {e}, {f}", "abs.f32 {e}, {f}", "sqrt.rn.f32 {e}, {f}",
    "div.rn.f32 {e}, {f}, {g}", "cvt.rn.f32.s32 {e}, {a}", "mov.b32 {e}, {a}", "ex2.approx.f32 {e}, {f}",
    "selp.f32 {e}, {f}, {g}, {p}", "cvt.f64.f32 %fd1, {f}; mul.f64 %fd2, %fd1, %fd1; cvt.rn.f32.f64 {e}, %fd2",
)  # fmt: skip
PREDICATE_OPERATIONS = (
    "setp.lt.s32 {q}, {a}, {b}", "setp.eq.u32 {q}, {a}, {b}", "setp.gtu.f32 {q}, {f}, {g}",
    "setp.hi.and.u32 {q}, {a}, {b}, {p}", "xor.pred {q}, {p}, {o}", "not.pred {q}, {p}",
)  # fmt: skip
ADDRESS = "and.b32 %r30, {a}, 31; shl.b32 %r31, %r30, 3"
MEMORY_OPERATIONS = (
    "st.shared.u32 [area + 4], {b}", "ld.shared.u32 {d}, [area + 8]",
    f"{ADDRESS}; mov.u32 %r32, area; add.u32 %r32, %r32, %r31; st.shared.v2.u32 [%r32], {{{{{{b}}, {{c}}}}}}",
    f"{ADDRESS}; mov.u32 %r32, area; add.u32 %r32, %r32, %r31; ld.shared.u32 {{d}}, [%r32]",
    f"{ADDRESS}; mov.u32 %r32, area; add.u32 %r32, %r32, %r31; ld.shared.s8 {{d}}, [%r32 + 3]",
    f"{ADDRESS}; mov.u32 %r32, area; add.u32 %r32, %r32, %r31; atom.shared.add.u32 {{d}}, [%r32], {{b}}",
    f"{ADDRESS}; mov.u32 %r32, area; add.u32 %r32, %r32, %r31; atom.shared.cas.b32 {{d}}, [%r32], {{b}}, {{c}}",
    f"{ADDRESS}; cvt.u64.u32 %rd2, %r31; add.u64 %rd3, %rd10, %rd2; ld.global.u32 {{d}}, [%rd3 + 4]",
    f"{ADDRESS}; cvt.u64.u32 %rd2, %r31; add.u64 %rd3, %rd10, %rd2; ld.global.nc.v2.f32 {{{{{{e}}, %f9}}}}, [%rd3]",
    f"{ADDRESS}; cvt.u64.u32 %rd2, %r31; add.u64 %rd3, %rd11, %rd2; st.global.u16 [%rd3 + 2], %rs1",
    f"{ADDRESS}; cvt.u64.u32 %rd2, %r31; add.u64 %rd3, %rd11, %rd2; red.global.max.s32 [%rd3], {{b}}",
    f"{ADDRESS}; cvt.u64.u32 %rd2, %r31; add.u64 %rd3, %rd11, %rd2; atom.global.add.f32 {{e}}, [%rd3 + 4], {{f}}",
    "mul.wide.u32 %rd2, %r20, 4; add.u64 %rd3, %rd10, %rd2; ld.global.u32 {d}, [%rd3]",
    "ld.global.u32 {d}, [%rd10 + 12]",
)  # fmt: skip
TOGETHER = (
    "bar.sync 0",
    "shfl.sync.bfly.b32 {d}|{q}, {a}, 5, 31, -1",
    "shfl.sync.up.b32 {d}, {a}, 3, 0, -1",
    "shfl.sync.idx.b32 {d}, {a}, {b}, 0x181f, -1",
    "vote.sync.ballot.b32 {d}, {p}, -1",
    "vote.sync.any.pred {q}, {p}, -1",
    "bar.red.popc.u32 {d}, 0, {p}",
    "match.any.sync.b32 {d}, {a}, -1",
)  # fmt: skip

_SIMPLE = INTEGER_OPERATIONS + FLOAT_OPERATIONS + PREDICATE_OPERATIONS + MEMORY_OPERATIONS


@st.composite
def instructions(draw: st.DrawFn, pool: tuple[str, ...], *, guarded: bool) -> str:
    """One operation with its registers, perhaps under a guard."""
    names = {letter: f"%r{draw(st.integers(0, 5))}" for letter in "abcd"}
    names |= {letter: f"%f{draw(st.integers(0, 3))}" for letter in "efgh"}
    names |= {letter: f"%p{draw(st.integers(0, 2))}" for letter in "pqo"}
    names["i"] = str(draw(st.integers(-(2**31), 2**31 - 1)))
    text = draw(st.sampled_from(pool)).format(**names)
    guard = draw(st.sampled_from(["", "", "@%p0 ", "@!%p1 "])) if guarded else ""
    return "; ".join(guard + part.strip() for part in text.split("; ")) + ";"


@st.composite
def statements(draw: st.DrawFn, depth: int, place: str = "L") -> str:
    """Some instructions, branches and loops; depth 0 is where all lanes are together. place: begins every label inside."""
    parts = []
    for number in range(draw(st.integers(1, 5 if depth else 7))):
        kind = draw(
            st.sampled_from(["simple"] * 6 + ["branch", "loop"] * (depth < 2) + ["together"] * 2 * (depth == 0))
        )
        if kind == "simple":
            parts.append(draw(instructions(_SIMPLE, guarded=True)))
        elif kind == "together":
            parts.append(draw(instructions(TOGETHER, guarded=False)))
        else:
            parts.append((_branch if kind == "branch" else _loop)(draw, depth, f"{place}_{number}"))
    return "\n".join(parts)


def _branch(draw: st.DrawFn, depth: int, label: str) -> str:
    predicate = f"%p{draw(st.integers(0, 2))}"
    then, otherwise = draw(statements(depth + 1, f"{label}t")), draw(statements(depth + 1, f"{label}o"))
    if draw(st.booleans()):
        return f"@{predicate} bra {label};\n{then}\n{label}:"
    return f"@{predicate} bra {label};\n{then}\nbra {label}e;\n{label}:\n{otherwise}\n{label}e:"


def _loop(draw: st.DrawFn, depth: int, label: str) -> str:
    """0 to 3 turns more than the first, by the lane's number and a register."""
    counter = f"%r{24 + depth}"
    start = f"add.u32 {counter}, %r20, %r{draw(st.integers(0, 5))}; and.b32 {counter}, {counter}, 3;"
    body = draw(statements(depth + 1, f"{label}b"))
    return (
        f"{start}\n{label}:\n{body}\nsetp.ne.u32 %p{8 + depth}, {counter}, 0; sub.u32 {counter}, {counter}, 1;\n"
        f"@%p{8 + depth} bra {label};"
    )


PROLOGUE = """.shared .align 8 .b8 area[256];
ld.param.u64 %rd10, [in]; ld.param.u64 %rd11, [out];
mov.u32 %r20, %tid.x; mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 0x9e3779b1; xor.b32 %r2, %r1, 0x5bd1e995; mov.u32 %r3, %laneid;
cvt.rn.f32.s32 %f0, %r2; mul.f32 %f1, %f0, 0f2F800000; mov.f32 %f2, 0f3FC00000;
setp.lt.s32 %p0, %r1, %r2; setp.gt.s32 %p1, %r3, 9;"""
EPILOGUE = "mul.wide.u32 %rd12, %r20, 40; add.u64 %rd13, %rd11, %rd12;\n" + "\n".join(
    [f"st.global.b32 [%rd13 + {256 + 4 * n}], %r{n};" for n in range(6)]
    + [f"st.global.b32 [%rd13 + {256 + 24 + 4 * n}], %f{n};" for n in range(4)]
    + ["ret;"]
)
OUT_WORDS = 64 + 64 * 10


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Body of a kernel with parameters `in` (65 words) and `out` (OUT_WORDS words)."""
    return f"{PROLOGUE}\n{draw(statements(0))}\n{EPILOGUE}"
