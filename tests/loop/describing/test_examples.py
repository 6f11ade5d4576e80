"""Small cases to work out by hand: what could not be worked out is said with its reason."""

from pathlib import Path

from loop.describing.writers import Attempt, prepared
from warpwright.loop.describing.examples import worked_examples
from warpwright.loop.describing.reply import Written, read_files
from warpwright.proposer.conversation import Reply
from warpwright.workload.loader import load_workload
from warpwright.workload.oracle import Oracle

NAMES = ("workload.toml", "reference.py", "kernel.cu")


def test_an_oracle_that_fails_on_small_sizes_is_told(tmp_path: Path) -> None:
    read = read_files(Reply(prepared("silu", "author")[0]), NAMES, NAMES, may_stand=False)
    assert isinstance(read, Written)
    files = dict(read.files)
    guard = "def reference(x):\n    if x.size == 2:\n        raise ValueError('two is too few')\n"
    files["reference.py"] = files["reference.py"].replace("def reference(x):\n", guard)
    assert guard in files["reference.py"]
    draft = Attempt(tmp_path / "w", "silu", files).draft
    workload = load_workload(draft.files)
    oracle = Oracle(workload)
    try:
        made = worked_examples(workload, oracle)
    finally:
        oracle.close()
    assert [example["dims"]["n"] for example in made["examples"]] == [1, 3]
    assert len(made["examples_failed"]) == 1
    assert made["examples_failed"][0].startswith("n = 2: ")
    assert "two is too few" in made["examples_failed"][0]
