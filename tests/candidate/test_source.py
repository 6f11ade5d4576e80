"""The reader of CUDA source: what it finds, what it says of broken files, edits and the normalised form."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpwright.candidate.source import parse_source, require_valid
from warpwright.candidate.source_edit import Edit, apply_edits, edited_text, normalised, normalised_hash
from warpwright.candidate.source_nodes import loop_start, mentioned_names, of_type, text_of
from warpwright.errors import CandidateError

FILE = """#include <cuda_fp16.h>
#define SCALE (BLOCK / 32)
template <int N, typename T>
__global__ void __launch_bounds__(256, 2) first(const T* __restrict__ a, float *b, unsigned int n) {
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) b[i] = a[i];
}
__device__ __forceinline__ float square(float x) { return x * x; }
extern "C" {
__global__ void second(float (*rows)[4], __half* out) { out[0] = square(rows[0][1]); }
}
int main() {
    dim3 grid(4, 5);
    second<<<grid, 32, 128>>>(p, q);
    first<3, float><<<(n + 255) / 256, 256>>>(a, b, n);
}
"""


def test_kernels_functions_and_host_code_are_told_apart() -> None:
    source = parse_source(FILE)
    assert [(k.name, k.extern_c, k.template, k.launch_bounds, k.line) for k in source.kernels] == [
        ("first", False, ("int N", "typename T"), ("256", "2"), 4),
        ("second", True, (), None, 9),
    ]
    assert [f.name for f in source.device_functions] == ["square"]
    assert [text_of(node)[:10] for node in source.host] == ["int main()"]
    assert source.problems == ()


def test_parameters() -> None:
    first, second = parse_source(FILE).kernels
    assert [(p.name, p.element, p.pointer, p.const, p.restrict) for p in (*first.parameters, *second.parameters)] == [
        ("a", "T", True, True, True),
        ("b", "float", True, False, False),
        ("n", "unsigned int", False, False, False),
        ("rows", "float", True, False, False),
        ("out", "__half", True, False, False),
    ]


def test_launches() -> None:
    sites = parse_source(FILE).launches
    assert [(s.kernel, text_of(s.grid), text_of(s.block), s.shared and text_of(s.shared), s.line) for s in sites] == [
        ("second", "grid", "32", "128", 13),
        ("first", "(n + 255) / 256", "256", None, 14),
    ]
    assert sites[1].arguments == ("a", "b", "n")


def test_kernel_by_name_expression() -> None:
    assert parse_source(FILE).kernel("first<4, float>").line == 4


def test_an_unknown_kernel_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(CandidateError) as error:
        parse_source(FILE, "file.cu").kernel("third")
    assert str(error.value) == "file.cu: no kernel 'third'; kernels in this file: first, second."


def test_broken_source_is_named_with_its_line() -> None:
    source = parse_source("\n__global__ void k(float* x { x[0] = 1; }\n", "k.cu")
    assert source.kernels[0].broken
    with pytest.raises(CandidateError) as error:
        require_valid(source)
    assert str(error.value) == "k.cu:2: this is not CUDA that can be read: 'missing )'."


def test_pragmas_where_the_grammar_knows_none_do_not_hide_the_kernel() -> None:
    text = "__global__ void k(float* x) {\n  for (int i = 0; i < 4; ++i)\n#pragma unroll\n    for (;;) x[i] = 1;\n}\n"
    source = parse_source(text)
    assert (source.problems, source.text) == ((), text)
    outer, inner = of_type(source.tree.root_node, "for_statement")
    assert text[loop_start(inner, text) :].startswith("#pragma unroll\n    for")
    assert loop_start(outer, text) == outer.start_byte


def test_names_inside_macro_bodies_count_as_mentioned() -> None:
    assert {"BLOCK", "SCALE", "square", "x"} <= mentioned_names(parse_source(FILE).tree.root_node)


def test_edits_count_bytes_not_characters() -> None:
    text = "// größer\nint a;\n"
    at = text.encode().index(b"a;")
    assert edited_text(text, [Edit(at, at + 1, "b"), Edit(at, at, "long_")]) == "// größer\nint long_b;\n"


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(CandidateError, match=r"two edits overlap at byte 2: 'y'\."):
        edited_text("abcdef", [Edit(0, 3, "x"), Edit(2, 4, "y")])


def test_an_edit_that_breaks_the_source_is_refused() -> None:
    source = parse_source("__global__ void k() { int a = 1; }", "k.cu")
    at = source.text.index("= 1")
    with pytest.raises(CandidateError, match=r"^k\.cu:1: the edited source does not parse: "):
        apply_edits(source, [Edit(at, at + 1, "= {{")])


@settings(max_examples=40)
@given(st.lists(st.sampled_from([" ", "\n", "\t", "/* why */", "// note\n", "  "]), min_size=12, max_size=12))
def test_layout_and_comments_do_not_change_the_normalised_form(gaps: list[str]) -> None:
    tokens = ["__global__", " void ", "k", "(", "float", " *", "x", ")", "{", "x[0] = 1.5f;", "x[1] += x[0];", "}"]
    spaced = "".join(token + gap for token, gap in zip(tokens, gaps, strict=True))
    assert normalised(spaced) == normalised("".join(tokens))


def test_different_code_has_a_different_hash() -> None:
    assert normalised_hash("__global__ void k(int* x) { x[0] = 1; }") != normalised_hash(
        "__global__ void k(int* x) { x[0] = 2; }"
    )
