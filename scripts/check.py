"""Everything that is checked without running the product: format, lint, types, layers, sizes, generated docs."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CPP = sorted(
    str(path.relative_to(ROOT))
    for folder in ("harness/src", "harness/tests", "tests/standin")
    for path in (ROOT / folder).rglob("*.[ch]pp")
)
CHECKS: tuple[tuple[str, ...], ...] = (
    (str(BIN / "ruff"), "format", "--check", "."),
    (str(BIN / "ruff"), "check", "."),
    (str(BIN / "mypy"),),
    (str(BIN / "lint-imports"),),
    (str(BIN / "clang-format"), "--dry-run", "--Werror", *CPP),
    (sys.executable, "scripts/sizes.py"),
    (sys.executable, "scripts/docs.py", "--check"),
)


def main() -> int:
    """Run all of them; 1 if any failed."""
    failed = []
    for command in CHECKS:
        print("$", Path(command[0]).name, *command[1:], flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(" ".join((Path(command[0]).name, *command[1:])))
    for name in failed:
        print(f"failed: {name}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
