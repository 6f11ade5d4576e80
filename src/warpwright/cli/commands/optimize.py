"""`warpwright optimize`: a new session, run to its end."""

from typing import Annotated

import typer

from warpwright.cli.options import (
    DeviceOption,
    JsonOption,
    NoHistoryOption,
    QuietOption,
    SeedOption,
    SessionsOption,
    TuningBudgetOption,
    WorkloadArgument,
)

_MODEL_HELP = (
    "Who proposes: builtin (moves led by the diagnosis, and the tuner), tuner (tunables alone), or undirected (the same moves "
    "at random, without diagnosis: a baseline)."
)


def optimize(
    workload: WorkloadArgument,
    model: Annotated[str, typer.Option("--model", help=_MODEL_HELP)] = "builtin",
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, help="Attempts at most.", show_default="no cap")
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time-limit",
            metavar="T",
            help="Wall time of the search at most: 90s, 10m, 2h. The final check comes after it.",
            show_default="no cap",
        ),
    ] = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    tuning_points: TuningBudgetOption = 100,
    max_repairs: Annotated[int, typer.Option("--max-repairs", min=0, help="Repairs of one failed idea.")] = 2,
    no_history: NoHistoryOption = False,
    sessions: SessionsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Start a session and run it."""
    from warpwright.cli.durations import parse_duration
    from warpwright.cli.session_run import run_and_print, start_session
    from warpwright.record.options import SessionOptions

    options = SessionOptions(
        workload_path=str(workload),
        proposer=model,
        iterations=iterations,
        time_limit_s=parse_duration(time_limit),
        seed=seed,
        device=device,
        tuning_budget=tuning_points,
        max_repairs=max_repairs,
        history=not no_history,
    )
    return run_and_print(start_session(workload, options, sessions), as_json=json, quiet=quiet)
