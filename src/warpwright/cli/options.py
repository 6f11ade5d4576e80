"""Options that several commands share, each spelled and explained once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

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
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of the search; the same seed searches the same way.")]
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
    int, typer.Option("--beam", min=1, max=16, help="Attempts that a round of the beam starts from.")
]
BottlenecksOption = Annotated[
    int, typer.Option("--bottlenecks", min=1, max=8, help="Findings of each that a round of the beam treats.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Plain lines instead of the live view.")]
