"""Stands in for compute-sanitizer: takes its options and no others, runs the program under it, writes reports in its shape.

`plan.json` beside it holds {"help": full | old | other, "say": {tool: scenario}, "only_with": argument of the program}.
Runs anywhere: `install` in conftest.py makes it executable.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

WITH_VALUE = (
    "--tool", "--error-exitcode", "--print-limit", "--log-file", "--save", "--demangle", "--strip-paths", "--show-backtrace",
    "--padding", "--report-api-errors", "--leak-check", "--racecheck-report", "--racecheck-detect-level",
    "--initcheck-address-space", "--check-api-memory-access",
)  # fmt: skip
FLAGS = ("--xml",)
OLD = ("--xml", "--save", "--initcheck-address-space", "--racecheck-detect-level")
OF_TOOL = {"--padding": "memcheck", "--racecheck-report": "racecheck", "--initcheck-address-space": "initcheck"}
KERNEL = "scale"
FILE = "kernel.cu"


def place(line: int) -> str:
    return f"<func>{KERNEL}</func><path>{FILE}</path><line>{line}</line><pc>0x90</pc>"


def who(thread: int) -> str:
    axes = "<x>{}</x><y>0</y><z>0</z>"
    return f"<who><threadIdx>{axes.format(thread)}</threadIdx><blockIdx>{axes.format(1)}</blockIdx></who>"


def record(kind: str, text: str, line: int, thread: int, error: str = "") -> str:
    return (
        f"<record><kind>{kind}</kind><level>Error</level>{who(thread)}<what><text>{text}</text><size>4</size>{error}</what>"
        f"<where>{place(line)}</where><hostStack><frame><func>main</func><line>12</line></frame></hostStack></record>"
    )


def race(level: str = "Error") -> str:
    sides = "".join(
        f"<{side}><direction>{does}</direction><where>{place(line)}</where></{side}>"
        for side, does, line in (("source", "Write", 3), ("destination", "Read", 4))
    )
    return (
        f"<record><kind>Analysis</kind><level>{level}</level><what><text>Race condition</text>{sides}</what></record>"
    )


def text_block(headline: str, line: int, thread: int) -> str:
    return (
        f"========= {headline}\n=========     at {KERNEL}+0x90 in {FILE}:{line}\n"
        f"=========     by thread ({thread},0,0) in block (1,0,0)\n=========     Address 0x7f00 is out of bounds\n"
        "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
        "=========         Host Frame: main [0x10] in harness\n=========\n"
    )


WRITE = "Invalid __global__ write of size 4 bytes"
RACE = (
    f"========= Error: Race reported between Write access at {KERNEL}+0x90 in {FILE}:3\n"
    f"=========     and Read access at {KERNEL}+0xa0 in {FILE}:4 [12 hazards]\n=========\n"
)
API = "<record><kind>Api</kind><level>Error</level><what><text>cuCtxSynchronize gave an error</text></what></record>"
SCENARIOS: dict[str, tuple[list[str], str, int, int]] = {
    # records, text, errors, warnings
    "clean": ([], "", 0, 0),
    "write": ([record("Precise", WRITE, 3, t) for t in (5, 6)] + [API], text_block(WRITE, 3, 5) * 2, 2, 0),
    "read": ([record("Precise", WRITE.replace("write", "read"), 3, 0)], "", 1, 0),
    "misaligned": ([record("Precise", WRITE, 3, 0, error="<error>Address is misaligned</error>")], "", 1, 0),
    "race": ([race()], RACE, 1, 0),
    "warning": ([race("Warning")], "", 0, 1),
    "uninitialised": ([record("Initcheck", "Uninitialized __shared__ memory read of size 4 bytes", 3, 7)], "", 1, 0),
    "barrier": ([record("Synccheck", "Barrier error detected. Divergent thread(s) in block.", 3, 32)], "", 1, 0),
    "uncounted": ([], "", 3, 0),
    "api": ([API], "", 1, 0),
}  # fmt: skip


def main() -> int:
    plan = json.loads(Path(__file__).with_name("plan.json").read_text(encoding="utf-8"))
    if sys.argv[1:] == ["--help"]:
        return help_text(plan["help"])
    options, command = parse(sys.argv[1:], plan["help"])
    tool = options["--tool"]
    wrong = [name for name, owner in OF_TOOL.items() if name in options and owner != tool]
    if wrong:
        sys.exit(f"option {wrong[0]} is not one of {tool}")
    scenario = plan["say"].get(tool, "clean")
    if plan.get("only_with") is not None and plan["only_with"] not in command:
        scenario = "clean"
    return act(scenario, tool, options, command)


def help_text(kind: str) -> int:
    if kind == "other":
        sys.stdout.write("some other program, which greets you\n")
        return 0
    known = [name for name in WITH_VALUE + FLAGS if kind != "old" or name not in OLD]
    options = "".join(f"  {name} arg   what it is for\n" for name in known)
    sys.stdout.write(f"A stand-in\nVersion 2026.4.0.0 (build 1)\nOptions:\n{options}")
    return 0


def parse(arguments: list[str], kind: str) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    while arguments and arguments[0].startswith("-"):
        name = arguments.pop(0)
        if (kind == "old" and name in OLD) or name not in WITH_VALUE + FLAGS:
            sys.exit(f"unrecognised option {name}")
        options[name] = arguments.pop(0) if name in WITH_VALUE else ""
    if "--xml" in options and "--save" not in options:
        sys.exit("--xml needs --save")
    return options, arguments


def act(scenario: str, tool: str, options: dict[str, str], command: list[str]) -> int:
    if scenario == "hang":
        time.sleep(60)
    log = Path(options["--log-file"])
    if scenario == "not_cuda":
        log.write_text("========= Error: the target ended before its first call\n", encoding="utf-8")
        return 255
    code = subprocess.run(command, check=False).returncode
    if scenario == "mute":
        return code
    cut = scenario.startswith("cut_")
    records, text, errors, warnings = SCENARIOS[scenario.removeprefix("cut_")]
    xml = (
        f'<?xml version="1.0" encoding="utf-8"?>\n<ComputeSanitizerOutput>{"".join(records)}</ComputeSanitizerOutput>\n'
    )
    if "--xml" in options:
        Path(options["--save"]).write_text(xml[: len(xml) // 2] if cut else xml, encoding="utf-8")
    summary = f"ERROR SUMMARY: {errors} error{'' if errors == 1 else 's'}"
    if tool == "racecheck":
        shown = errors + warnings
        summary = f"RACECHECK SUMMARY: {shown} hazards displayed ({errors} errors, {warnings} warnings)"
    log.write_text(f"========= COMPUTE-SANITIZER\n{text}========= {summary}\n", encoding="utf-8")
    return code or (int(options["--error-exitcode"]) if errors or warnings else 0)


if __name__ == "__main__":
    sys.exit(main())
