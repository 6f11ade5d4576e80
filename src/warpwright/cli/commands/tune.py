"""`warpwright tune`: a session that changes launch configurations and tunables, never the source."""

from typing import Annotated

import typer

from warpwright.cli.options import (
    DeviceOption,
    JsonOption,
    QuietOption,
    SeedOption,
    SessionsOption,
    TuningBudgetOption,
    WorkloadArgument,
)


def tune(
    workload: WorkloadArgument,
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
    sessions: SessionsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Search the tunables of the initial kernel; the best five points become attempts."""
    from warpwright.cli.durations import parse_duration
    from warpwright.cli.session_run import run_and_print, start_session
    from warpwright.record.options import SessionOptions

    options = SessionOptions(
        workload_path=str(workload),
        proposer="tuner",
        time_limit_s=parse_duration(time_limit),
        seed=seed,
        device=device,
        tuning_budget=tuning_points,
    )
    return run_and_print(start_session(workload, options, sessions), as_json=json, quiet=quiet)
