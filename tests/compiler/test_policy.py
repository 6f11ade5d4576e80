"""Includes that would leak a host file: refused before anything is compiled, and nothing of the file comes back."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpwright.compiler.compiler import Compiler
from warpwright.compiler.logical_text import without_comments
from warpwright.compiler.policy import IncludePolicy, check_options
from warpwright.compiler.result import CompileFailed, CompileRequest

EMPTY = 'extern "C" __global__ void k() {}\n'
SECRET = "the_secret_words"

ATTACKS = {
    "absolute": ('#include "{path}"\n', "header"),
    "absolute angled": ("#include <{path}>\n", "header"),
    "parent": ('#include "../../../../../../../../../../..{path}"\n', "header"),
    "parent inside": ('#include "cuda/../../../../../../../../../../..{path}"\n', "header"),
    "unlisted": ('#include "secret.txt"\n', "header"),
    "drive": ('#include "C:{path}"\n', "header"),
    "backslashes": ('#include "..\\\\..\\\\secret.txt"\n', "header"),
    "url": ('#include "file://{path}"\n', "header"),
    "macro": ('#define FILE "{path}"\n#include FILE\n', "policy"),
    "macro function": ("#define S(x) #x\n#include S({path})\n", "policy"),
    "spliced word": ('#inc\\\nlude "{path}"\n', "header"),
    "spliced with carriage return": ('#inc\\\r\nlude "{path}"\n', "header"),
    "spliced path": ('#include "{path_spliced}"\n', "policy"),
    "spliced hash": ('#\\\ninclude "{path}"\n', "header"),
    "comment between": ('#/**/include/**/"{path}"\n', "header"),
    "comment over lines": ('#/*\n*/include "{path}"\n', "header"),
    "comment before": ('/* x */ #include "{path}"\n', "header"),
    "digraph": ('%:include "{path}"\n', "header"),
    "trigraph": ('??=include "{path}"\n', "policy"),
    "trigraph splice": ('#inc??/\nlude "{path}"\n', "policy"),
    "tabs": ('\t#\t \v\finclude\t"{path}"\n', "header"),
    "include_next": ("#include_next <{path}>\n", "policy"),
    "import": ('#import "{path}"\n', "policy"),
    "module import": ('import "{path}";\n', "policy"),
    "module import angled": ("export import <{path}>;\n", "policy"),
    "embed": ('__device__ char x[] = {{\n#embed "{path}"\n}};\n', "policy"),
    "line": ('#line 1 "{path}"\n', "policy"),
    "line marker": ('# 1 "{path}"\n', "policy"),
    "has_include": ('#if __has_include("{path}")\n#error yes\n#endif\n', "policy"),
    "has_include pasted": (
        '#define C(a, b) a##b\n#if C(__has_, include)("{path}")\n#error yes\n#endif\n',
        "policy",
    ),
    "has_include by libcu++": ('#include <cuda/std/version>\n#if _CCCL_HAS_INCLUDE("{path}")\n#endif\n', "policy"),
    "incbin": ('__device__ void f() {{ asm(".incbin \\"{path}\\";"); }}\n', "policy"),
    "incbin in pieces": ('__device__ void f() {{ asm(".inc" "bin \\"{path}\\";"); }}\n', "policy"),
    "assembler include": ('__device__ void f() {{ asm(".include \\"{path}\\";"); }}\n', "policy"),
    "quote before comment": (
        "__device__ const char q = 'a'; /*\n /*/\n#include \"{path}\"\n/* */\n",
        "header",
    ),
    "comment opened in a string": ('__device__ const char* s = "/*";\n#include "{path}"\n// */\n', "header"),
    "line comment in a string": ('__device__ const char* s = "//";  \n#include "{path}"\n', "header"),
    "raw string": ('__device__ const char* s = R"(/*)";\n#include "{path}"\n// */\n', "header"),
    "digit separator": ("__device__ int n = 1'000 /*'*/;\n#include \"{path}\"\n/**/\n", "header"),
    "skipped apostrophe": ('#if 0\ndon\'t /*\n#endif\n#include "{path}"\n/* */\n', "header"),
    "thrust": ('#define __THRUST_HOST_SYSTEM_ROOT "{path}"\n#include <thrust/detail/unique.inl>\n', "header"),
    "turned": ('/* \u202e */ #include "{path}"\n', "policy"),
    "nul": ('\0#include "{path}"\n', "policy"),
}  # fmt: skip


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(f"{SECRET};\n", encoding="utf-8")
    return path


def text_of(outcome: CompileFailed) -> str:
    return outcome.message + outcome.log + repr(outcome.diagnostics)


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_include_attack_is_refused_and_leaks_nothing(compiler: Compiler, secret: Path, attack: str) -> None:
    template, reason = ATTACKS[attack]
    path = secret.as_posix()
    source = template.format(path=path, path_spliced=path[:5] + "\\\n" + path[5:]) + EMPTY
    outcome = compiler.compile(CompileRequest(source, "kernel.cu", "sm_90", ("k",), defines={}, headers={}))
    assert isinstance(outcome, CompileFailed)
    assert outcome.reason == reason
    assert SECRET not in text_of(outcome)


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_same_attack_in_a_listed_header_is_refused(compiler: Compiler, secret: Path, attack: str) -> None:
    template, reason = ATTACKS[attack]
    path = secret.as_posix()
    header = template.format(path=path, path_spliced=path[:5] + "\\\n" + path[5:])
    source = '#include "own.h"\n' + EMPTY
    outcome = compiler.compile(
        CompileRequest(source, "kernel.cu", "sm_90", ("k",), defines={}, headers={"own.h": header})
    )
    assert isinstance(outcome, CompileFailed)
    assert outcome.reason == reason
    assert SECRET not in text_of(outcome)


def test_a_refusal_names_the_line_and_what_is_allowed(compiler: Compiler) -> None:
    source = "// first line\n#include <helper.cuh>\n" + EMPTY
    outcome = compiler.compile(CompileRequest(source, "kernel.cu", "sm_90", ("k",), defines={}, headers={"tile.h": ""}))
    assert isinstance(outcome, CompileFailed)
    assert outcome.message == (
        "kernel.cu(2): helper.cuh: not available. Allowed are CUDA headers by name (cuda_fp16.h, mma.h, "
        "cooperative_groups.h, cub/block/..., cuda/std/...) and the workload's listed headers (tile.h)."
    )
    assert outcome.diagnostics[0].line == 2


HARMLESS = {
    "prose in a line comment": "// #include guards are not needed here\n",
    "prose in a block comment": "/* we could #include SOMETHING\n   or #line it */\n",
    "word in a name": "__device__ int included_import = 1;\n",
    "stringify": "#define S(x) #x\n__device__ const char* s = S(include);\n",
    "pasting": "#define CAT(a, b) a##b\n__device__ int CAT(left, right) = 1;\n",
    "division and quotes": "__device__ float f(float a) { return a / 2; } // it's fine\n",
    "conditional": "#if defined(X) /* none */\n#error no\n#endif\n",
    "inline assembly": '__device__ int lane() { int x; asm("mov.u32 %0, %laneid;" : "=r"(x)); return x; }\n',
    "comment after include": "#include <cuda_fp16.h> // half\n",
    "indented include": "  #  include <cuda_fp16.h>\n",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_harmless_text_is_let_through(compiler: Compiler, text: str) -> None:
    policy = IncludePolicy(compiler.include_directories)
    assert policy.check(text + EMPTY, "kernel.cu", {}) is None


def test_a_link_out_of_an_allowed_folder_is_refused(tmp_path: Path, secret: Path) -> None:
    folder = tmp_path / "include"
    folder.mkdir()
    (folder / "fine.h").write_text("", encoding="utf-8")
    (folder / "link.h").symlink_to(secret)
    policy = IncludePolicy((folder,))
    assert policy.check('#include "fine.h"\n', "kernel.cu", {}) is None
    refusal = policy.check('#include "link.h"\n', "kernel.cu", {})
    assert refusal is not None
    assert refusal.reason == "header"


def test_an_oversized_source_is_refused() -> None:
    refusal = IncludePolicy(()).check("/" * (1024 * 1024 + 1), "kernel.cu", {})
    assert refusal is not None
    assert refusal.message == "the source is larger than 1048576 bytes."


@pytest.mark.parametrize("name", ["__has_include", "A-B", "1A", "", "X=1 -I/etc", "__CUDA_ARCH__"])
def test_macro_names_that_could_do_harm_are_refused(name: str) -> None:
    assert check_options((), {name: 1}) == (
        f'"{name}" cannot be a macro name; use letters, digits and single underscores.'
    )


PIECES = st.sampled_from(["/*", "*/", "//", '"', "'", "\n", " ", "x", "#include", "/", "*", "\\\n"])


@settings(max_examples=400)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_only_comments_are_taken_out(text: str) -> None:
    """Against a plain reading of C: whatever is code there is still there afterwards."""
    marked = _code_of(text)
    kept = without_comments(text)
    position = 0
    for character in marked:
        found = kept.find(character, position)
        assert found >= 0
        position = found + 1


def _code_of(text: str) -> str:
    """Everything that is not in a comment, by the state machine of the standard (no raw strings here)."""
    code, i, quote = [], 0, ""
    while i < len(text):
        if quote:
            code.append(text[i])
            quote = "" if text[i] in (quote, "\n") else quote
        elif text.startswith("//", i):
            i = text.find("\n", i)
            if i < 0:
                break
            continue
        elif text.startswith("/*", i):
            close = text.find("*/", i + 2)
            if close < 0:
                break
            i = close + 2
            continue
        else:
            code.append(text[i])
            quote = text[i] if text[i] in "\"'" else ""
        i += 1
    return "".join(code)
