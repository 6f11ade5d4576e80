import logging
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileFailed, CompileRequest

EMPTY = 'extern "C" __global__ void k() {}\n'
BOMB = """template <int N, unsigned long P> struct Bomb {
    static const long value = Bomb<N - 1, 2 * P>::value + Bomb<N - 1, 2 * P + 1>::value;
};
template <unsigned long P> struct Bomb<0, P> { static const long value = P; };
extern "C" __global__ void k(long* x) { x[0] = Bomb<24, 1>::value; }
"""


def request(source: str) -> CompileRequest:
    return CompileRequest(source, "kernel.cu", "sm_90", ("k",), defines={}, headers={})


def test_a_compile_that_takes_too_long_is_stopped_and_the_next_one_works() -> None:
    with Compiler(None, time_limit_s=1.0) as compiler:
        outcome = compiler.compile(request(BOMB))
        assert isinstance(outcome, CompileFailed)
        assert outcome.reason == "timeout"
        assert outcome.message == (
            "compiling took longer than 1 s and was stopped. Unroll less, or instantiate fewer templates."
        )
        assert isinstance(compiler.compile(request(EMPTY)), Compiled)


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_killed_worker_is_replaced() -> None:
    with Compiler(None) as compiler:
        assert isinstance(compiler.compile(request(EMPTY)), Compiled)
        pid = compiler.worker_pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        outcome = compiler.compile(request(EMPTY))
        assert isinstance(outcome, Compiled) or outcome.reason == "compiler_crash"
        assert isinstance(compiler.compile(request(EMPTY)), Compiled)


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_compiler_that_dies_while_compiling_is_a_failed_candidate() -> None:
    with Compiler(None) as compiler:
        compiler.compile(request(EMPTY))
        pid = compiler.worker_pid
        assert pid is not None
        threading.Timer(0.5, os.kill, (pid, signal.SIGSEGV)).start()
        outcome = compiler.compile(request(BOMB))
        assert isinstance(outcome, CompileFailed)
        assert outcome.reason == "compiler_crash"
        assert isinstance(compiler.compile(request(EMPTY)), Compiled)


def test_a_cached_binary_needs_no_compiler(tmp_path: Path) -> None:
    with Compiler(tmp_path) as first:
        made = first.compile(request(EMPTY))
    with Compiler(tmp_path) as second:
        again = second.compile(request(EMPTY))
        assert second.worker_pid is None
    assert isinstance(made, Compiled)
    assert isinstance(again, Compiled)
    assert again.cached
    assert (again.ptx, again.cubin, again.resources, again.lowered) == (
        made.ptx,
        made.cubin,
        made.resources,
        made.lowered,
    )


@pytest.mark.parametrize("damage", ["truncated", "one bit", "empty"])
def test_a_damaged_entry_is_compiled_again(tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    with Compiler(tmp_path) as compiler:
        compiler.compile(request(EMPTY))
        (entry,) = tmp_path.rglob("*.bin")
        content = bytearray(entry.read_bytes())
        content[len(content) // 2] ^= 1
        entry.write_bytes({"truncated": bytes(content[:-9]), "one bit": bytes(content), "empty": b""}[damage])
        with caplog.at_level(logging.WARNING):
            again = compiler.compile(request(EMPTY))
        assert isinstance(again, Compiled)
        assert not again.cached
        assert "is damaged and is compiled again" in caplog.text
        last = compiler.compile(request(EMPTY))
        assert isinstance(last, Compiled)
        assert last.cached


def test_two_compilers_share_one_cache_folder(tmp_path: Path) -> None:
    results: list[object] = []

    def work() -> None:
        with Compiler(tmp_path) as compiler:
            results.extend(compiler.compile(request(EMPTY + f"// {number}\n")) for number in range(6))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 12
    assert all(isinstance(result, Compiled) for result in results)
    assert len(list(tmp_path.rglob("*.bin"))) == 6
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux only")
def test_a_header_that_includes_what_a_macro_names_still_reads_no_host_file(tmp_path: Path) -> None:
    """Past the policy (the worker is asked directly), the kernel refuses."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret words\n", encoding="utf-8")
    with Compiler(None) as compiler:
        if not compiler.confined:
            pytest.skip("this kernel has no Landlock")
        outcome = compiler._translate(request(f'#include "{secret}"\n' + EMPTY), started=0.0)
        assert isinstance(outcome, CompileFailed)
        assert "secret words" not in outcome.message + outcome.log
        assert "cannot open source file" in outcome.message
