"""The list of commands, in the order of `--help`."""

from collections.abc import Callable
from dataclasses import dataclass

from warpwright.cli.commands import docs, docs_upkeep, history
from warpwright.cli.commands.build_harness import build_harness
from warpwright.cli.commands.check import check
from warpwright.cli.commands.doctor import doctor
from warpwright.cli.commands.evaluate import evaluate
from warpwright.cli.commands.new import new
from warpwright.cli.commands.optimize import optimize
from warpwright.cli.commands.profile import profile
from warpwright.cli.commands.report import report
from warpwright.cli.commands.resume import resume
from warpwright.cli.commands.sessions import sessions
from warpwright.cli.commands.show import show
from warpwright.cli.commands.try_candidate import try_candidate
from warpwright.cli.commands.tune import tune


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, its line in `--help`, what runs."""

    name: str
    help: str
    function: Callable[..., int]


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one word."""

    name: str
    help: str
    commands: tuple[Command, ...]


_SYNC = (
    "Fetch NVIDIA's guides; can be stopped and run again.\n\n"
    "Exit code 4: no page that was asked for is here and current, or running it again may bring more."
)

COMMANDS = (
    Command("doctor", "Say what this machine offers and lacks, with remedies.", doctor),
    Command("new", "Make a workload directory from a kernel of yours, or from a description.", new),
    Command("check", "Lint a workload; run its oracle and its initial kernel.", check),
    Command("evaluate", "Take one candidate through every gate.", evaluate),
    Command("profile", "Say what limits a kernel, by its counters, with advice.", profile),
    Command("tune", "Search launch configurations and tunables only.", tune),
    Command("optimize", "Go round the loop; keep the fastest kernel that passes.", optimize),
    Command("resume", "Go on with a session that was stopped or killed.", resume),
    Command("try", "Enter a kernel of yours into a session, through every gate.", try_candidate),
    Command("show", "What a session tried and found.", show),
    Command("report", "Write report.html of a session.", report),
    Command("sessions", "List the sessions.", sessions),
    Command("build-harness", "Compile the GPU harness if the installation lacks it.", build_harness),
)

GROUPS = (
    Group(
        "docs",
        "Find, fetch, search and read documentation on this disk.",
        (
            Command("discover", "Index what installations left on this disk.", docs.discover),
            Command("sync", _SYNC, docs_upkeep.sync),
            Command("add", "Index a folder or file of yours.", docs.add),
            Command("search", "The sections that answer a question.", docs.search),
            Command("read", "One section.", docs.read),
            Command("metric", "What a profiler metric means.", docs.metric),
            Command("status", "What is indexed, how old, what does not fit.", docs.status),
            Command("eval", "How well questions with known answers are answered.", docs_upkeep.evaluate),
            Command("export", "A list of every section, without text.", docs_upkeep.export),
            Command("purge", "Delete the index and the fetched pages.", docs_upkeep.purge),
        ),
    ),
    Group(
        "history",
        "What earlier sessions taught, on this machine.",
        (
            Command("list", "Every session that taught something.", history.listing),
            Command("forget", "Drop what sessions taught.", history.forget),
            Command("path", "Where it lies.", history.path),
        ),
    ),
)
