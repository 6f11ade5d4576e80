"""Where the program is, and what of a machine forbids counters."""

import sys
from pathlib import Path

import pytest

from profiler.nsight_compute.conftest import MakeNcu
from warpwright.profiler.nsight_compute.collect import preflight
from warpwright.profiler.nsight_compute.locate import Ncu, find_ncu
from warpwright.profiler.nsight_compute.result import Unavailable
from warpwright.profiler.nsight_compute.symptoms import (
    Surroundings,
    counters_forbidden,
    explain,
    permission,
    surroundings,
    symptoms,
)
from warpwright.profiler.tool_process import ToolRun

DENIED = ToolRun(1, "==ERROR== ERR_NVGPUCTRPERM", "", 1.0)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="looks at Linux")


def tree(root: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_the_newest_installation_is_taken(make_ncu: MakeNcu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for version in ("2024.3.2", "2025.10.0", "2025.2.1"):
        made = make_ncu(version=version).parent
        made.rename(tmp_path / f"nsight-compute-{version}")
    found = find_ncu(patterns=(str(tmp_path / "absent" / "*" / "ncu"), str(tmp_path / "nsight-compute-*" / "ncu")))
    assert found == Ncu(tmp_path / "nsight-compute-2025.10.0" / "ncu", "2025.10.0")


def test_a_program_in_path_comes_first(make_ncu: MakeNcu, monkeypatch: pytest.MonkeyPatch) -> None:
    program = make_ncu(version="2024.1.1")
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert find_ncu(patterns=()) == Ncu(program, "2024.1.1")


def test_without_one_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = find_ncu(patterns=())
    assert isinstance(found, Unavailable)
    assert "Install Nsight Compute" in found.text


def test_a_program_that_is_something_else(tmp_path: Path) -> None:
    program = tmp_path / "ncu"
    program.write_text("#!/bin/sh\necho something else\n", encoding="utf-8")
    program.chmod(0o755)
    found = find_ncu(program)
    assert isinstance(found, Unavailable)
    assert "something else" in found.reason


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"proc__version": "Linux version 6.1"}, Surroundings.PLAIN),
        ({"proc__version": "Linux 5.15 Microsoft-standard-WSL2"}, Surroundings.WSL),
        ({".dockerenv": ""}, Surroundings.CONTAINER),
        ({"proc__1__cgroup": "0::/kubepods/pod1"}, Surroundings.CONTAINER),
    ],
)
def test_surroundings(tmp_path: Path, files: dict[str, str], place: Surroundings) -> None:
    assert surroundings(tree(tmp_path, **files)) is place


@pytest.mark.parametrize(
    ("params", "capabilities", "forbidden"),
    [
        ("RmProfilingAdminOnly: 1\n", "0000000000000000", True),
        ("RmProfilingAdminOnly: 0\n", "0000000000000000", False),
        ("RmProfilingAdminOnly: 1\n", "0000000000200000", False),
        ("RmProfilingAdminOnly: 1\n", "0000004000000000", False),
        ("", "0000000000000000", False),
    ],
)
def test_permission_is_known_before_anything_runs(
    tmp_path: Path, params: str, capabilities: str, forbidden: bool
) -> None:
    files = {"proc__driver__nvidia__params": params, "proc__self__status": f"Name:\tx\nCapEff:\t{capabilities}\n"}
    assert counters_forbidden(tree(tmp_path, **files)) is forbidden


def test_before_anything_runs_it_is_known_whether_counters_can_be_had(make_ncu: MakeNcu, tmp_path: Path) -> None:
    program = make_ncu(version="2025.1.0")
    assert preflight(program) == (permission(surroundings()) if counters_forbidden() else Ncu(program, "2025.1.0"))
    assert isinstance(preflight(tmp_path / "none"), Unavailable)


def test_the_remedy_fits_the_place() -> None:
    remedies = {place: explain(DENIED, 1.0, place).remedy for place in Surroundings}
    assert "NVreg_RestrictProfilingToAdminUsers=0" in remedies[Surroundings.PLAIN]
    assert "SYS_ADMIN" in remedies[Surroundings.CONTAINER]
    assert "Windows host" in remedies[Surroundings.WSL]
    assert "NVreg" not in remedies[Surroundings.WSL]
    assert "elevated prompt" in remedies[Surroundings.WINDOWS]
    assert permission(Surroundings.PLAIN) == explain(DENIED, 1.0, Surroundings.PLAIN)


def test_every_symptom_is_a_sentence() -> None:
    for symptom in symptoms():
        assert symptom.meaning.endswith(".")
        assert all(text == "" or text.endswith(".") for text in symptom.remedies.values())
