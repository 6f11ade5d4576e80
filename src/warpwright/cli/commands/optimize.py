"""`warpwright optimize`: a new session, run to its end."""

from typing import Annotated

import typer

from warpwright.cli.model_options import (
    AllowUnknownPriceOption,
    BaseUrlOption,
    BudgetUsdOption,
    DryRunOption,
    MaxModelCallsOption,
    MaxOutputTokensOption,
    MaxTokensOption,
    ModelOption,
    ModelTimeoutOption,
    TemperatureOption,
)
from warpwright.cli.options import (
    BEAM,
    BOTTLENECKS,
    BeamOption,
    BottlenecksOption,
    DeviceOption,
    JsonOption,
    NoHistoryOption,
    QuietOption,
    SeedOption,
    SessionsOption,
    Strategy,
    StrategyOption,
    TuningBudgetOption,
    WorkloadArgument,
    require_beam,
)


def optimize(
    workload: WorkloadArgument,
    model: ModelOption = "builtin",
    iterations: Annotated[
        int | None,
        typer.Option(
            "--iterations", min=1, help="Attempts at most, the initial kernel included.", show_default="no cap"
        ),
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
    strategy: StrategyOption = Strategy.LINEAR,
    beam: BeamOption = None,
    bottlenecks: BottlenecksOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    tuning_points: TuningBudgetOption = 100,
    max_repairs: Annotated[int, typer.Option("--max-repairs", min=0, help="Repairs of one failed idea.")] = 2,
    patience: Annotated[
        int | None,
        typer.Option("--patience", min=1, help="End after that many attempts without a gain.", show_default="12"),
    ] = None,
    base_url: BaseUrlOption = None,
    model_timeout: ModelTimeoutOption = None,
    max_output_tokens: MaxOutputTokensOption = None,
    temperature: TemperatureOption = None,
    budget_usd: BudgetUsdOption = None,
    max_model_calls: MaxModelCallsOption = None,
    max_tokens: MaxTokensOption = None,
    allow_unknown_price: AllowUnknownPriceOption = False,
    dry_run: DryRunOption = False,
    no_history: NoHistoryOption = False,
    sessions: SessionsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Start a session and run it."""
    from warpwright.cli.durations import parse_duration
    from warpwright.cli.session_run import print_first_prompt, run_and_print, start_session
    from warpwright.record.options import SessionOptions

    require_beam(strategy, beam, bottlenecks)
    options = SessionOptions(
        workload_path=str(workload),
        proposer=model,
        iterations=iterations,
        time_limit_s=parse_duration(time_limit),
        seed=seed,
        strategy=strategy.value,
        beam=beam or BEAM,
        bottlenecks=bottlenecks or BOTTLENECKS,
        device=device,
        tuning_budget=tuning_points,
        max_repairs=max_repairs,
        history=not no_history,
        patience=patience,
        base_url=base_url,
        model_timeout_s=parse_duration(model_timeout, "--model-timeout"),
        max_output_tokens=max_output_tokens,
        temperature=temperature,
        budget_usd=budget_usd,
        max_model_calls=max_model_calls,
        max_tokens=max_tokens,
        allow_unknown_price=allow_unknown_price,
    )
    if dry_run:
        return print_first_prompt(workload, options, as_json=json)
    return run_and_print(start_session(workload, options, sessions), as_json=json, quiet=quiet)
