"""The list of commands, in the order of `--help`."""

from collections.abc import Callable
from dataclasses import dataclass

from warpwright.cli.commands.build_harness import build_harness
from warpwright.cli.commands.check import check
from warpwright.cli.commands.doctor import doctor
from warpwright.cli.commands.evaluate import evaluate
from warpwright.cli.commands.new import new
from warpwright.cli.commands.optimize import optimize
from warpwright.cli.commands.report import report
from warpwright.cli.commands.resume import resume
from warpwright.cli.commands.sessions import sessions
from warpwright.cli.commands.show import show
from warpwright.cli.commands.tune import tune


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, its line in `--help`, what runs."""

    name: str
    help: str
    function: Callable[..., int]


COMMANDS = (
    Command("doctor", "Say what this machine offers and lacks, with remedies.", doctor),
    Command("new", "Make a workload directory from a kernel of yours.", new),
    Command("check", "Lint a workload; run its oracle and its initial kernel.", check),
    Command("evaluate", "Take one candidate through every gate.", evaluate),
    Command("tune", "Search launch configurations and tunables only.", tune),
    Command("optimize", "Go round the loop; keep the fastest kernel that passes.", optimize),
    Command("resume", "Go on with a session that was stopped or killed.", resume),
    Command("show", "What a session tried and found.", show),
    Command("report", "Write report.html of a session.", report),
    Command("sessions", "List the sessions.", sessions),
    Command("build-harness", "Compile the GPU harness if the installation lacks it.", build_harness),
)
