"""Holds the size limits of the code base and prints what is closest to them.

Limits: source file 400 lines, test file 500, `__init__.py` 40, function body 40, 15 modules in a folder.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REGISTRIES = {"commands", "moves", "checks", "gpus", "ops", "catalog"}
"""Folders of like files, one per entry of a registry: no limit on their number."""


def file_limit(path: Path) -> int:
    """Lines that a file may have."""
    if path.name == "__init__.py":
        return 40
    return 500 if "tests" in path.relative_to(ROOT).parts else 400


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function of a file with the length of its body, docstring left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", (body[-1].end_lineno or 0) - body[0].lineno + 1


def main() -> int:
    """Print the ten largest files and functions; 1 if a limit is broken."""
    sources = sorted((ROOT / "src").rglob("*.py"))
    everything = sources + sorted((ROOT / "tests").rglob("*.py"))
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in everything}
    bodies = dict(item for path in sources for item in functions(path))
    faults = [f"{p.relative_to(ROOT)}: {n} lines, limit {file_limit(p)}" for p, n in lines.items() if n > file_limit(p)]
    faults += [f"{name}: body of {n} lines, limit 40" for name, n in bodies.items() if n > 40]
    modules = Counter(p.parent for p in sources if p.name != "__init__.py" and p.parent.name not in REGISTRIES)
    faults += [f"{folder.relative_to(ROOT)}: {n} modules, limit 15" for folder, n in modules.items() if n > 15]
    print("largest files:")
    for path, count in sorted(lines.items(), key=lambda item: -item[1])[:10]:
        print(f"  {count:4} {path.relative_to(ROOT)}")
    print("longest functions:")
    for name, count in sorted(bodies.items(), key=lambda item: -item[1])[:10]:
        print(f"  {count:4} {name}")
    print(
        f"{sum(lines[p] for p in sources)} lines in src, {sum(lines.values()) - sum(lines[p] for p in sources)} in tests"
    )
    for fault in faults:
        print(f"too large: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
