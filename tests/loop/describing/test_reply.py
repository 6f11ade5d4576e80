"""Replies as models write them, and everything else: read, or refused with the reason, and never anything in between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop.describing.writers import prepared
from warpwright.loop.describing.reply import Unusable, Written, read_files
from warpwright.proposer.conversation import Reply, Stop

AUTHOR = ("workload.toml", "reference.py", "kernel.cu")
TOML, PYTHON = "[[params]]\nname = 'y'\n", "def reference(x):\n    return x\n"
CUDA = 'extern "C" __global__ void k(float* y) { y[0] = 0; }\n'


def read(text: str, stop: Stop = Stop.END, *, may_stand: bool = False) -> Written | Unusable:
    return read_files(Reply(text, stop=stop), AUTHOR, AUTHOR, may_stand=may_stand)


def block(language: str, body: str, fence: str = "```") -> str:
    return f"{fence}{language}\n{body}{fence}\n"


THREE = block("toml", TOML) + block("python", PYTHON) + block("cuda", CUDA)
FORMS = {
    "languages": THREE,
    "names as languages": block("workload.toml", TOML) + block("reference.py", PYTHON) + block("kernel.cu", CUDA),
    "no languages": block("", TOML) + block("", PYTHON) + block("", CUDA),
    "other fences": block("toml", TOML, "~~~") + block("py", PYTHON, "`````") + block("cpp", CUDA),
    "a draft before": block("cuda", "__global__ void old() {}\n") + THREE,
    "a file beyond": block("cuda", f"// reference.cu\n{CUDA}") + THREE,
    "a usage example": THREE + block("python", "print(reference(1))\n"),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_form_does_not_matter(name: str) -> None:
    found = read(f"\ufeffSure:\r\n{FORMS[name]}Done.")
    assert isinstance(found, Written)
    assert found.files == {"workload.toml": TOML, "reference.py": PYTHON, "kernel.cu": CUDA}


FAULTS = {
    "cut off": (THREE, Stop.LENGTH, "truncated: "),
    "prose": ("I cannot do that.", Stop.END, "no_files: no fenced block that is one of workload.toml"),
    "thinking only": (f"<think>{THREE}", Stop.END, "no_files: "),
    "one missing": (block("toml", TOML) + block("cuda", CUDA), Stop.END, "missing: reference.py; each file"),
    "elided Python": (
        THREE.replace("    return x", "    # ... as before\n    return x"),
        Stop.END,
        "elided: reference.py stands for more than it says: '# ...'",
    ),
    "elided CUDA": (
        THREE.replace("y[0] = 0;", "y[0] = 0; // rest of the kernel unchanged\n"),
        Stop.END,
        "elided: kernel.cu stands for more than it says",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_content_is_never_guessed(name: str) -> None:
    text, stop, verdict = FAULTS[name]
    found = read(text, stop)
    assert isinstance(found, Unusable)
    assert found.verdict.startswith(verdict)


def test_standing_is_an_answer_to_a_disagreement_only() -> None:
    text = "Hm.\n\n**STANDS:** the sum is divided by n - 1."
    assert read(text, may_stand=True) == Written({}, "the sum is divided by n - 1.")
    assert isinstance(read(text), Unusable)
    changed = read(f"{text}\n{THREE}", may_stand=True)
    assert isinstance(changed, Written)
    assert changed.files
    assert changed.stands == ""


@given(st.data())
def test_no_mangled_reply_crashes_or_brings_half_a_file(data: st.DataObject) -> None:
    text = prepared("centre_rows", "author")[0]
    start, end = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    mangled = text[:start] + data.draw(st.text(max_size=20)) + text[end:]
    found = read(mangled)
    if isinstance(found, Written):
        assert set(found.files) == set(AUTHOR)
        plain = mangled.replace("\r\n", "\n").replace("\r", "\n")
        assert all(body.rstrip("\n") in plain for body in found.files.values())  # a file ends with a line end
