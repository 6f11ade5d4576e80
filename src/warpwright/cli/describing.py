"""`warpwright new --describe`: what the person gave, the models, and the question whether the result may be used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from warpwright.cli.output import print_json, results, say
from warpwright.errors import Interrupted, ModelUnavailable, UsageError

if TYPE_CHECKING:
    from warpwright.loop.describing.draft import Draft
    from warpwright.loop.describing.run import Described
    from warpwright.proposer.conversation import Message, ModelClient, ModelFault, Reply, ToolSpec
    from warpwright.proposer.registry import ModelSettings

_NO_MODEL = (
    "--describe: a model must write what you do not supply: name one with --model PROVIDER:NAME (a key in its provider's "
    "variable, or a server of your own with --base-url). Without a model: `warpwright new {target} --from-kernel F.cu` makes a "
    "workload from a kernel, or supply every file: --workload-toml, --oracle, --kernel, --reference-kernel."
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line says. supplied: path of the person's own file by its name in the workload."""

    target: Path
    description: str | None
    model: str | None
    reviewer: str | None
    base_url: str | None
    device: str
    supplied: Mapping[str, Path]
    approved: bool
    json: bool


def begin(wish: Wish) -> int:
    """A new draft, taken as far as it goes. Raises: UsageError, WorkloadError, ModelUnavailable, Interrupted."""
    from warpwright.loop.describing.draft import Assignment, Draft, draft_directory

    description = _checked_description(wish)
    if draft_directory(wish.target).exists():
        raise UsageError(
            f"{draft_directory(wish.target)}: a draft is there already; go on with: warpwright new {wish.target} --resume, or "
            "delete it"
        )
    if wish.target.exists() and any(wish.target.iterdir()):
        raise UsageError(f"{wish.target} is not empty; name a new directory.")
    assignment = Assignment(
        description, wish.model or "", wish.reviewer or wish.model or "", wish.device, wish.base_url
    )
    supplied = _read(wish)
    clients = _clients(wish.target, assignment.model, assignment.reviewer, wish.base_url, frozenset(supplied))
    draft = Draft.create(wish.target, assignment, supplied)
    return _run(draft, clients, wish)


def resume(wish: Wish) -> int:
    """The draft that is there, as it is; the models may be others now."""
    from warpwright.loop.describing.draft import Draft

    draft = Draft.open(wish.target)
    given = draft.assignment
    model = wish.model or given.model
    reviewer = wish.reviewer or (wish.model or given.reviewer)
    base_url = wish.base_url or given.base_url
    draft.assignment = replace(given, model=model, reviewer=reviewer, base_url=base_url)
    author = _Late(model, base_url) if model else None
    return _run(draft, (author, _Late(reviewer, base_url) if reviewer else None), wish)


class _Late:
    """A model that is opened when it is asked: a draft that only waits for a person needs none."""

    takes_tools = False

    def __init__(self, words: str, base_url: str | None) -> None:
        self.name = words
        self._base_url = base_url
        self._client: ModelClient | None = None

    def ask(self, messages: "Sequence[Message]", tools: "Sequence[ToolSpec]" = ()) -> "Reply | ModelFault":
        """As the client asks. Raises: UsageError, ModelUnavailable if it cannot be opened."""
        if self._client is None:
            self._client = _open(self.name, self._base_url)
        return self._client.ask(messages, tools)


def _checked_description(wish: Wish) -> str:
    from warpwright.loop.describing.prompt import MAX_DESCRIPTION_CHARS

    description = (wish.description or "").strip()
    if not description:
        raise UsageError(
            '--describe: say what is to be computed, such as --describe "row-wise softmax of a float32 matrix"'
        )
    if len(description) > MAX_DESCRIPTION_CHARS:
        raise UsageError(f"--describe: {len(description)} characters; at most {MAX_DESCRIPTION_CHARS} are used.")
    return description


def _read(wish: Wish) -> dict[str, str]:
    from warpwright.candidate.validation import read_text

    return {name: read_text(path, UsageError) for name, path in wish.supplied.items()}


Clients = tuple["ModelClient | None", "ModelClient | None"]


def _clients(target: Path, model: str, reviewer: str, base_url: str | None, own: frozenset[str]) -> Clients:
    """Who writes the workload and who the second implementation; None where nothing is left to write."""
    from warpwright.loop.describing.draft import AUTHOR_FILES, SECOND
    from warpwright.proposer.model.client.scrub import scrub

    writes, checks = not own.issuperset(AUTHOR_FILES), SECOND not in own
    if (writes and not model) or (checks and not reviewer):
        raise UsageError(_NO_MODEL.format(target=target))
    if base_url is not None and scrub(base_url) != base_url:
        raise UsageError(
            "--base-url holds a password or key, and the record keeps this address. Give the key by WARPWRIGHT_API_KEY."
        )
    author = _open(model, base_url) if writes else None
    same = author is not None and reviewer == model
    return author, (author if same else _open(reviewer, base_url)) if checks else None


def _open(words: str, base_url: str | None) -> "ModelClient":
    """A chat model that has answered one tiny request. Raises: UsageError, ModelUnavailable."""
    from warpwright.proposer.model.client.opening import open_model
    from warpwright.proposer.model.client.preflight import preflight
    from warpwright.proposer.registry import REPLAY

    if words.startswith(REPLAY):
        raise UsageError(f"--model {words}: a recorded session has no replies for a description; name PROVIDER:NAME.")
    client = open_model(words, replace(_settings().options, base_url=base_url, tools=False))
    fault = preflight(client)
    if fault is not None:
        raise ModelUnavailable(f"{fault.message} ({fault.kind.value}).")
    return client


def _settings() -> "ModelSettings":
    from warpwright.cli.model_settings import model_settings

    return model_settings()


def _run(draft: "Draft", clients: Clients, wish: Wish) -> int:
    import sys

    from warpwright.cli.bench_options import bench_options
    from warpwright.loop.describing.account import account
    from warpwright.loop.describing.context import DescribeContext
    from warpwright.loop.describing.run import describe

    if draft.assignment.supplied:
        say(f"yours, and not generated: {', '.join(draft.assignment.supplied)}")
    context = DescribeContext(
        draft, *clients, bench=bench_options(), approved=wish.approved, say=say, costs=_settings().costs
    )

    def decide(draft: "Draft") -> bool:
        if wish.json:
            return False
        results().print(account(draft), markup=False, soft_wrap=True)
        if not sys.stdin.isatty():
            return False
        return typer.confirm("Is this what is to be computed?", err=True)

    return _told(draft, describe(context, decide), wish)


def _told(draft: "Draft", described: "Described", wish: Wish) -> int:
    """Raises: Interrupted while nobody has approved."""
    waiting = described.directory is None
    if wish.json:
        print_json(
            {
                "status": "waiting" if waiting else "approved",
                "directory": None if waiting else str(described.directory),
                "draft": str(described.draft) if waiting else None,
                "supplied": list(draft.assignment.supplied),
            }
        )
    if waiting:
        raise Interrupted(
            f"not approved, so there is no {draft.target} yet. Read {described.draft}, edit its workload/ if you like, then: "
            f"warpwright new {draft.target} --resume (with --yes to approve without being asked)"
        )
    if not wish.json:
        results().print(f"{described.directory}: a workload, frozen by describe.json", markup=False, soft_wrap=True)
        say(f"next: warpwright check {described.directory}")
    return 0
