"""Stands in for Nsight Compute: refuses options that it does not have, really runs the program, writes and prints reports.

Reports have a form of their own; what is printed has the shape of the real thing (a row of units, thousands commas, ragged
rows). Settings lie beside the script in `ncu.json`. Counters are invented and come from `METRICS`.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

VALUED = {
    "--config-file", "--target-processes", "--clock-control", "--cache-control", "--replay-mode", "--kernel-name-base",
    "--kernel-name", "--launch-skip", "--launch-count", "--section", "--metrics", "--import-source", "--check-exit-code",
    "--kill", "--export", "--import", "--page", "--print-units", "--print-kernel-base", "--print-metric-name",
    "--print-source", "--chips",
}  # fmt: skip
FLAGS = {"--csv", "--force-overwrite", "--version", "--query-metrics", "--list-sections"}
MAGIC = "invented report\n"
SECTIONS = [
    "SpeedOfLight", "LaunchStats", "Occupancy", "WorkloadDistribution", "SchedulerStats", "WarpStateStats",
    "MemoryWorkloadAnalysis", "MemoryWorkloadAnalysis_Tables", "ComputeWorkloadAnalysis", "InstructionStats",
    "SourceCounters", "SpeedOfLight_RooflineChart",
]  # fmt: skip
LATENCY = "smsp__average_warp_latency_per_inst_issued.ratio"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
ALWAYS: dict[str, tuple[Any, str]] = {
    "device__attribute_multiprocessor_count": (132, ""),
    "launch__waves_per_multiprocessor": (1.25, ""),
    "launch__registers_per_thread": (40, "register/thread"),
    "launch__shared_mem_per_block_static": (2048, "byte/block"),
    "launch__occupancy_limit_registers": (12, "block"),
    "launch__func_cache_config": ("CachePreferNone", ""),
    "profiler__replayer_passes": (17, ""),
    "sm__maximum_warps_per_active_cycle_pct": (75.0, "%"),
}
BY_SECTION: dict[str, dict[str, tuple[Any, str]]] = {
    "WarpStateStats": {
        LATENCY: (20.0, "cycle"), STALL.format("long_scoreboard"): (12.5, "inst"), STALL.format("wait"): (1.5, "inst"),
    },
    "SchedulerStats": {
        "smsp__warps_eligible.avg.per_cycle_active": (0.75, "warp"),
        "smsp__warps_active.avg.per_cycle_active": ("nan", "warp"),
    },
    "SourceCounters": {
        "derived__memory_l2_theoretical_sectors_global_excessive": (1_500_000, "byte"),
        "memory_l2_theoretical_sectors_global": (2_000_000, "sector"),
        "sass__inst_executed_local_loads": (0, "inst"),
        "derived__local_spilling_requests": (0, ""),
    },
}  # fmt: skip
METRICS: dict[str, tuple[Any, str]] = {
    "gpu__time_duration.sum": (1_234_567.0, "ns"),
    "sm__cycles_active.avg": (1_876_543.21, "cycle"),
    "sm__cycles_elapsed.max": (2_000_000, "cycle"),
    "dram__bytes_read.sum": (8_388_608, "byte"),
    "dram__bytes_write.sum": (4_194_304, "byte"),
    "smsp__inst_executed.sum": (65_536, "inst"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": (262_144, "sector"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": (0, "sector"),
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio": (4.0, "byte/sector"),
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio": (0.0, "byte/sector"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": (0, ""),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": (0, ""),
    "lts__t_sector_hit_rate.pct": (116.9, "%"),
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": (0.0, "%"),
    "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active": (12.5, "%"),
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": (100, "inst"),
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum": (10, "inst"),
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": (1_000, "inst"),
}
RULES = [
    ("MemoryWorkloadAnalysis", "Uncoalesced", "OPT",
     "Of the @section:SourceCounters:sectors@ most are waste, see @url:a guide:https://example.org/g@.", "global", "84.21"),
    ("SpeedOfLight", "Balance", "INF", "Nothing stands out.", "", ""),
    ("Occupancy", "Low", "WRN", "Few warps, see @source:kernel.cu:3:line 3@.", "local", "n/a"),
]  # fmt: skip
LINES = [
    ("#", "Source", "Instructions Executed", "L2 Theoretical Sectors Global Excessive"),
    ("1", "extern ...", "0", "0"),
    ("2", "int i = ...", "4,096", "0"),
    ("3", "if (i < n) ...", "61,440", "1,500,000"),
]


def main(words: list[str]) -> int:
    settings = json.loads((Path(__file__).parent / "ncu.json").read_text(encoding="utf-8"))
    options, application = parsed(words)
    if "--version" in options:
        say(
            f"Profiler by nobody\nCopyright\nVersion {settings.get('version', '2025.3.1.0')} (build 1) (public-release)"
        )
        return 0
    if "--list-sections" in options:
        say("Identifier  Display Name  Enabled  Filename\n----------")
        say("\n".join(f"{s}  Some Words  no  s.section" for s in SECTIONS if s not in settings.get("no_sections", [])))
        return 0
    if "--query-metrics" in options:
        gone = settings.get("gone", [])
        names = sorted({name.partition(".")[0] for name in [*METRICS, *settings.get("more", [])]} - set(gone))
        say(f"Device {options['--chips'][0]}\n" + "\n".join(f"{name}   # of something" for name in names))
        return 0
    if "--import" in options:
        return printed(options, settings)
    return profiled(options, application, settings)


def parsed(words: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    options: dict[str, list[str]] = {}
    position = 0
    while position < len(words) and words[position].startswith("-"):
        word = words[position]
        if word in VALUED:
            options.setdefault(word, []).append(words[position + 1])
            position += 2
        elif word in FLAGS:
            options.setdefault(word, [])
            position += 1
        else:
            sys.exit(f"==ERROR== unrecognised option '{word}'. Use --help for further details.")
    return options, words[position:]


def profiled(options: dict[str, list[str]], application: list[str], settings: dict[str, Any]) -> int:
    for name, wanted in {"LC_ALL": "C", "NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT": "1"}.items():
        if os.environ.get(name) != wanted:
            sys.exit(f"==ERROR== {name} is {os.environ.get(name)}")
    (Path(__file__).parent / "asked.json").write_text(json.dumps(options), encoding="utf-8")
    with (Path(__file__).parent / "runs").open("a", encoding="utf-8") as runs:
        runs.write("profiled\n")
    if settings.get("before"):
        sys.stderr.write(settings["before"])
        return int(settings.get("exit", 1))
    if settings.get("hang"):
        time.sleep(60)
    say("==PROF== Connected to process 1 (harness)")
    done = subprocess.run(application, check=False)
    if done.returncode != 0 and not settings.get("report_anyway"):
        say("==WARNING== No kernels were profiled.\n==ERROR== The application returned an error code.")
        return done.returncode
    launches = [launch(each, options, settings) for each in planned(application) if matches(each["symbol"], options)]
    count = int(options["--launch-count"][0])
    report = Path(options["--export"][0])
    if not launches or settings.get("no_kernels"):
        say("==WARNING== No kernels were profiled.")
        return 0
    text = MAGIC + json.dumps(launches[: settings.get("keep_launches", count)])
    report.write_text(text[: len(text) // 2] if settings.get("truncate") else text, encoding="utf-8")
    say(f"==PROF== Report: {report}")
    return int(settings.get("exit", 0))


def planned(application: list[str]) -> list[dict[str, Any]]:
    job = Path(application[application.index("run-once") + 1])
    launches: list[dict[str, Any]] = []
    with job.open("rb") as stream:
        while line := stream.readline():
            message = json.loads(line)
            stream.seek(sum(message.get("npy_bytes", [])), os.SEEK_CUR)
            launches += message["plan"]["launches"] if message["op"] == "run" else []
    return launches


def matches(symbol: str, options: dict[str, list[str]]) -> bool:
    assert options["--kernel-name-base"] == ["mangled"]
    return re.search(options["--kernel-name"][0].removeprefix("regex:"), symbol) is not None


def launch(each: dict[str, Any], options: dict[str, list[str]], settings: dict[str, Any]) -> dict[str, Any]:
    grid, block = each["grid"], each["block"]
    metrics: dict[str, Any] = {
        "launch__grid_size": (grid[0] * grid[1] * grid[2], ""),
        "launch__block_size": (block[0] * block[1] * block[2], ""),
        **ALWAYS,
    }
    for section in options["--section"]:
        metrics |= BY_SECTION.get(section, {})
    known = METRICS | settings.get("metrics", {})
    metrics |= {name: known[name] for name in options["--metrics"][0].split(",") if name in known}
    metrics |= {name: value for name, value in settings.get("metrics", {}).items() if name in metrics}
    return {"symbol": each["symbol"], "metrics": metrics}


def printed(options: dict[str, list[str]], settings: dict[str, Any]) -> int:
    text = Path(options["--import"][0]).read_text(encoding="utf-8")
    assert options["--print-units"] == ["base"]
    try:
        launches = json.loads(text.removeprefix(MAGIC))
    except ValueError:
        say("==ERROR== Failed to load report file.")
        return 1
    say("==PROF== something that is no table")
    page = options["--page"][0]
    if page == settings.get("refused_page"):
        say(f"==ERROR== the argument for option '--page' is invalid: {page}")
        return 1
    if page == settings.get("broken_page"):
        say('"#","Source","Rule Name","ID"\n"1","never closed')
        return 0
    {"raw": raw, "details": details, "source": source}[page](launches, settings)
    return 0


def raw(launches: list[dict[str, Any]], settings: dict[str, Any]) -> None:
    fixed = [
        "ID",
        "Process ID",
        "Process Name",
        "Host Name",
        "Kernel Name",
        "Context",
        "Stream",
        "Block Size",
        "Grid Size",
    ]
    fixed += ["Device", "CC"]
    names = sorted({name for each in launches for name in each["metrics"]})
    if settings.get("reorder"):
        fixed, names = fixed[::-1], names[::-1]
    units = {name: unit for each in launches for name, (_, unit) in each["metrics"].items()}
    row(fixed + names, settings)
    row([""] * len(fixed) + [units[name] for name in names], settings)
    for number, each in enumerate(launches):
        about = {"ID": str(number), "Kernel Name": each["symbol"], "CC": "9.0", "Device": "0"}
        values = [
            shown(each["metrics"][name][0], settings, number) if name in each["metrics"] else "" for name in names
        ]
        row([about.get(name, "x") for name in fixed] + values, settings)


def details(launches: list[dict[str, Any]], settings: dict[str, Any]) -> None:
    if settings.get("no_details"):
        say("nothing of the kind")
        return
    header = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
              "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",
              "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]  # fmt: skip
    row(header, settings)
    for number, each in enumerate(launches):
        about = [str(number), "1", "harness", "here", each["symbol"], "1", "7", "(1, 1, 1)", "(1, 1, 1)", "0", "9.0"]
        row([*about, "GPU Speed", "Duration", "ns", "1,234,567"], settings)
        for section, rule, kind, text, scope, estimate in RULES:
            row([*about, section, "", "", "", rule, kind, text, scope, estimate], settings)


def source(launches: list[dict[str, Any]], settings: dict[str, Any]) -> None:
    for each in launches:
        say(f'"Kernel Name","{each["symbol"]}"')
        for line in (
            [] if settings.get("no_source") else [*LINES, *[("4", "}", "1", "0")] * settings.get("more_lines", 0)]
        ):
            row(list(line), settings)


def row(cells: list[str], settings: dict[str, Any]) -> None:
    between = '";"' if settings.get("locale") == "comma" else '","'
    say('"' + between.join(cell.replace('"', '""') for cell in cells) + '"')


def shown(value: Any, settings: dict[str, Any], number: int) -> str:
    if isinstance(value, str):
        return value
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.6f}".rstrip("0").rstrip(".")
    locale = settings.get("locale")
    if locale == "comma" or (locale == "mixed" and isinstance(value, float)):
        return text.translate(str.maketrans(",.", ".,"))
    return text


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
