"""Options that several commands share, each spelled and explained once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

BEAM, BOTTLENECKS = 2, 2
"""What `--strategy beam` takes where it is not told."""

WorkloadArgument = Annotated[
    Path, typer.Argument(metavar="WORKLOAD", help="Workload directory (workload.toml inside).")
]
SessionArgument = Annotated[
    str, typer.Argument(metavar="SESSION", help="Session directory, name, its start, or `last`.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout; messages on stderr.")]
DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="DEVICE",
        help=(
            "gpu:N or gpu:UUID; gpu:0,1 or gpu:all (several equal GPUs: times on the first, verification on all); command:CMD "
            "(a harness elsewhere: 'command:ssh box warpwright-harness'); emulator[:GPU], whose times are estimates (GPU: "
            "h200, h100, a100, l40s, rtx4090, rtx3060_laptop); auto: gpu:0 if usable, else emulator."
        ),
    ),
]
SeedOption = Annotated[
    int,
    typer.Option("--seed", help="Seed of the search; on the emulator the same seed and history search the same way."),
]
SessionsOption = Annotated[
    Path | None, typer.Option("--sessions", metavar="DIR", help="Where sessions are kept.", show_default="./sessions")
]
KernelOption = Annotated[
    Path | None,
    typer.Option(
        "--kernel", metavar="DIR|F.cu", help="Candidate directory, or a .cu file that takes the workload's plan."
    ),
]
NoHistoryOption = Annotated[
    bool, typer.Option("--no-history", help="Neither read nor add to what other sessions taught.")
]
TuningBudgetOption = Annotated[
    int, typer.Option("--tuning-points", min=0, help="Points that one tuning search may try.")
]


class Strategy(StrEnum):
    """How a session searches."""

    LINEAR = "linear"
    BEAM = "beam"


StrategyOption = Annotated[
    Strategy,
    typer.Option(
        "--strategy",
        help="linear: one candidate a round, from the incumbent. beam: several, from the best attempts, for their findings.",
    ),
]
BeamOption = Annotated[
    int | None,
    typer.Option(
        "--beam",
        min=1,
        max=16,
        help="Attempts that a round of --strategy beam starts from.",
        show_default=str(BEAM),
    ),
]
BottlenecksOption = Annotated[
    int | None,
    typer.Option(
        "--bottlenecks",
        min=1,
        max=8,
        help="Findings of each that a round of --strategy beam treats.",
        show_default=str(BOTTLENECKS),
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Plain lines instead of the live view.")]


def require_beam(strategy: Strategy, beam: int | None, bottlenecks: int | None) -> None:
    """Raises: UsageError for an option of the beam that linear search has no use for."""
    from warpwright.errors import UsageError

    given = {"--beam": beam, "--bottlenecks": bottlenecks}
    idle = [f"{name} {value}" for name, value in given.items() if value is not None]
    if idle and strategy is not Strategy.BEAM:
        raise UsageError(f"{', '.join(idle)}: linear search has no beam. Add --strategy beam, or leave this out.")
