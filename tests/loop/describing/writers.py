"""Models that answer with prepared replies, and a description taken from there to its end."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from warpwright.cli.environment import environment
from warpwright.evaluation.bench import BenchOptions
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.draft import Assignment, Draft, draft_directory
from warpwright.loop.describing.run import Described, describe
from warpwright.proposer.conversation import Forbids, Message, ModelFault, Reply, Stop, ToolSpec, Usage
from warpwright.proposer.model.costs import Costs

REPLIES = Path(__file__).parent / "replies"


class Writer:
    """Gives its replies in order, the last for ever; remembers what it was asked."""

    takes_tools = False

    def __init__(self, name: str, replies: Sequence[str | Reply | ModelFault]) -> None:
        self.name = name
        self.replies = list(replies)
        self.asked: list[tuple[Message, ...]] = []

    def ask(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
    ) -> Reply | ModelFault:
        self.asked.append(tuple(messages))
        said = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return Reply(said, stop=Stop.END, usage=Usage(100, 50)) if isinstance(said, str) else said


def prepared(name: str, who: str) -> list[str]:
    """Replies of `author` or `second` in one folder, in order."""
    return [path.read_bytes().decode() for path in sorted((REPLIES / name).glob(f"{who}-*.md"))]


def description(name: str) -> str:
    return (REPLIES / name / "description.txt").read_text(encoding="utf-8").strip()


class Attempt:
    """One description on the emulator: draft, writers, what was said and shown on the way."""

    def __init__(
        self, target: Path, name: str, supplied: dict[str, str] | None = None, *, approved: bool = True
    ) -> None:
        self.author, self.second = (
            Writer("test:author", prepared(name, "author")),
            Writer("test:second", prepared(name, "second")),
        )
        assignment = Assignment(description(name), self.author.name, self.second.name, "emulator:h200")
        self.draft = Draft.create(target, assignment, supplied or {})
        self.approved = approved
        self.shown: list[dict[str, object]] = []
        self.told: list[str] = []
        self.say: Callable[[str], None] = self.told.append

    def copied(self, target: Path) -> "Attempt":
        """The same draft elsewhere, with writers who were asked nothing yet."""
        made = Attempt.__new__(Attempt)
        shutil.copytree(self.draft.directory, draft_directory(target))
        made.author, made.second = (Writer(who.name, who.replies) for who in (self.author, self.second))
        made.draft, made.approved, made.shown, made.told = Draft.open(target), self.approved, [], []
        made.say = made.told.append
        return made

    def run(self, *, answer: bool = True) -> Described:
        """From where the draft stands; answer: of the person who is asked."""

        def decide(draft: Draft) -> bool:
            self.shown.append(draft.kept("inspection") or {})
            return answer or self.approved

        context = DescribeContext(
            self.draft, self.author, self.second, BenchOptions(environment().cache), self.approved, self.say, Costs()
        )
        return describe(context, decide)
