"""What holds for the repository as a whole."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = {"langgraph-checkpoint-sqlite": "langgraph.checkpoint.sqlite", "tree-sitter": "tree_sitter"}
"""Distributions whose module is not their name with underscores."""


def imported_modules() -> set[str]:
    """Every absolute module that the package imports, with all its parents."""
    found: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.append(node.module)
            for name in names:
                parts = name.split(".")
                found |= {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    return found


def names_of(requirements: list[str]) -> list[str]:
    return [re.split(r"[<>=!~\[ ;]", text, maxsplit=1)[0] for text in requirements]


@pytest.mark.parametrize("distribution", names_of(PROJECT["dependencies"]))
def test_no_dependency_is_unused(distribution: str) -> None:
    assert MODULES.get(distribution, distribution.replace("-", "_")) in imported_modules()


def test_no_import_is_undeclared() -> None:
    extras = [r for group in PROJECT["optional-dependencies"].values() for r in group]
    declared = {
        MODULES.get(n, n.replace("-", "_")).split(".")[0] for n in names_of([*PROJECT["dependencies"], *extras])
    }
    outside = {name for name in imported_modules() if "." not in name} - set(sys.stdlib_module_names)
    assert outside - declared - {"warpwright"} == set()


def test_pins_cover_every_dependency_and_name_no_index() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in pins.splitlines()}
    assert set(names_of(PROJECT["dependencies"])) <= pinned
    assert "://" not in pins


def test_links_in_the_documentation_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
