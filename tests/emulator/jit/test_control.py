"""Flow of control in PTX: tables, named barriers, reductions at barriers, guarded exits; both executors agree."""

import numpy as np
import pytest

from emulator.jit.launching import Array, Setting, graph_of, launch_on_both, ptx_of

STORE = """ld.param.u64 %rd1, [out]; mov.u32 %r30, %tid.x; mul.wide.u32 %rd2, %r30, 4; add.u64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r2;"""


def result(body: str, threads: int = 64) -> Array:
    launched = launch_on_both(
        graph_of(ptx_of(body)), [np.full(threads, 99, np.uint32)], Setting(block=(threads, 1, 1), shared_bytes=1024)
    )
    assert launched.report.fault is None
    return launched.arrays[0]


def test_branch_table() -> None:
    body = f"""mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 3;
    table: .branchtargets L0, L1, L2, L1;
    brx.idx %r1, table;
    L0: mov.u32 %r2, 10; bra end;
    L1: mov.u32 %r2, 20; bra end;
    L2: mov.u32 %r2, 30;
    end: {STORE} ret;"""
    assert result(body).tolist() == [10, 20, 30, 20] * 16


def test_guarded_exit() -> None:
    body = f"""mov.u32 %r1, %tid.x; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; mov.u32 %r2, 5; @%p1 exit; {STORE} ret;"""
    assert result(body).tolist() == [99, 5] * 32


@pytest.mark.parametrize(
    ("reduction", "value"),
    [("popc.u32 %r2, 0, %p1", 43), ("and.pred %p2, 0, %p1", 0), ("or.pred %p2, 0, %p1", 1)],
    ids=["popc", "and", "or"],
)
def test_reduction_at_a_barrier(reduction: str, value: int) -> None:
    body = f"""mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 20; mov.u32 %r2, 7;
    bar.red.{reduction};
    {"selp.u32 %r2, 1, 0, %p2;" if "pred" in reduction else ""} {STORE} ret;"""
    assert result(body).tolist() == [value] * 64


def test_producer_and_consumer_with_named_barriers() -> None:
    """Warp 0 waits for warp 1 at barrier 1, which only announces itself; warp 2 takes no part."""
    body = f""".shared .align 4 .b8 word[4];
    mov.u32 %r1, %tid.x; shr.u32 %r3, %r1, 5; mov.u32 %r2, 0;
    setp.eq.u32 %p1, %r3, 1; @%p1 bra producer;
    setp.eq.u32 %p1, %r3, 2; @%p1 bra end;
    bar.sync 1, 64;
    ld.shared.u32 %r2, [word]; bra end;
    producer: st.shared.u32 [word], 42; membar.cta; bar.arrive 1, 64;
    end: {STORE} ret;"""
    assert result(body, 96).tolist() == [42] * 32 + [0] * 64


def test_exited_threads_satisfy_a_barrier() -> None:
    body = f"""mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 40; @%p1 exit;
    mov.u32 %r2, 1; bar.sync 0; add.u32 %r2, %r2, 1; bar.sync 0; {STORE} ret;"""
    assert result(body).tolist() == [2] * 41 + [99] * 23


def test_loops_with_trip_counts_by_lane_meet_again() -> None:
    body = f"""mov.u32 %r1, %tid.x; and.b32 %r3, %r1, 15; mov.u32 %r2, 0;
    turn: add.u32 %r2, %r2, %r3; sub.u32 %r3, %r3, 1; setp.ge.s32 %p1, %r3, 0; @%p1 bra turn;
    activemask.b32 %r4; popc.b32 %r4, %r4; shl.b32 %r4, %r4, 16; or.b32 %r2, %r2, %r4; {STORE} ret;"""
    assert result(body).tolist() == [(32 << 16) + n * (n + 1) // 2 for n in range(16)] * 4


def test_a_partial_last_warp() -> None:
    body = f"""vote.sync.ballot.b32 %r2, 1, -1; {STORE} ret;"""
    body = body.replace("1, -1", "%p1, -1").replace("vote", "setp.eq.u32 %p1, 0, 0; vote", 1)
    assert result(body, 40).tolist() == [0xFFFFFFFF] * 32 + [0xFF] * 8


def test_stores_of_several_lanes_to_one_address_keep_the_last() -> None:
    body = """mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1; setp.lt.u32 %p1, %r1, 9;
    @%p1 st.global.u32 [%rd1 + 4], %r1; ret;"""
    assert result(body, 32).tolist()[:3] == [31, 8, 99]


def test_float_atomics_add_in_lane_order() -> None:
    body = """mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, 0f5A000000; setp.eq.u32 %p1, %r1, 0;
    selp.f32 %f1, 0f3F800000, %f1, %p1; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 0;
    bar.sync 0; atom.global.add.f32 %f2, [%rd1], %f1; mov.b32 %r2, %f2; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
    @!%p1 st.global.u32 [%rd3], %r2; ret;"""
    total = np.float32(0)
    before = []
    for lane in range(32):
        before.append(total)
        total = np.float32(total + (np.float32(1) if lane == 0 else np.float32(lane) * np.float32(2.0**53)))
    assert result(body, 32)[1:].view(np.float32).tolist() == before[1:]
