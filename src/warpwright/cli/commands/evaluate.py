"""`warpwright evaluate`: one candidate through every gate."""

from pathlib import Path
from typing import Annotated

import typer

from warpwright.cli.options import DeviceOption, JsonOption, KernelOption, WorkloadArgument


def evaluate(
    workload: WorkloadArgument,
    kernel: KernelOption = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="DIR|F.cu", help="Candidate to compare with; it must pass.")
    ] = None,
    device: DeviceOption = "auto",
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of the inputs.", show_default="a fresh secret")
    ] = None,
    gpu_cases: Annotated[
        bool, typer.Option("--gpu-cases", help="Also estimate cases for a GPU from sampled blocks; they never count.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Compile, verify, time; exit code 3 if the candidate does not pass."""
    from warpwright.benchmark.paired import EVERYBODY, PairedOptions
    from warpwright.candidate.directory import load_candidate
    from warpwright.cli.bench_options import bench_options, device_options
    from warpwright.cli.output import print_json, results, say
    from warpwright.cli.workloads import open_workload
    from warpwright.device.registry import notice
    from warpwright.errors import NoCandidatePassed
    from warpwright.evaluation.bench import fresh_secret, open_bench
    from warpwright.evaluation.evaluator import EvaluatorOptions
    from warpwright.evaluation.promotion.baseline import Baseline
    from warpwright.evaluation.summary import evaluation_to_json
    from warpwright.report.tables import evaluation_table

    loaded = open_workload(workload)
    candidate = load_candidate(kernel, loaded.initial) if kernel else loaded.initial
    baseline = load_candidate(against, loaded.initial) if against else None
    secret = fresh_secret() if seed is None else f"{seed:064x}"
    options = EvaluatorOptions(sample_gpu_cases=gpu_cases, paired=PairedOptions(entry_ratio=EVERYBODY))
    with open_bench(loaded, device, secret, bench_options(), options) as bench:
        say(notice(device, bench.device, device_options()) or f"device: {bench.device.description}")
        reference = Baseline(baseline, bench.evaluator.evaluate(baseline)) if baseline else None
        if reference is not None and not reference.evaluation.outcome.correct:
            told = reference.evaluation
            raise NoCandidatePassed(f"--against {against}: {told.label}: {told.message}")
        result = bench.evaluator.evaluate(candidate, against=reference)
    if json:
        print_json(evaluation_to_json(result))
    else:
        results().print(evaluation_table(result))
    return 0 if result.outcome.correct else NoCandidatePassed.exit_code
