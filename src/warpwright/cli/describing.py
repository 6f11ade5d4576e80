"""`warpwright new --describe`: what the person gave, the models, and the question whether the result may be used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from warpwright.cli.output import confirmed, print_json, results, say
from warpwright.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from warpwright.loop.describing.draft import Draft
    from warpwright.loop.describing.run import Described
    from warpwright.proposer.conversation import Forbids, Message, ModelClient, ModelFault, Reply, ToolSpec
    from warpwright.proposer.registry import ModelSettings

_NO_MODEL = (
    "--describe: a model must write what you do not supply: name one with --model PROVIDER:NAME (a key in its provider's "
    "variable, or a server of your own with --base-url). Without a model: `warpwright new {target} --from-kernel F.cu` makes a "
    "workload from a kernel, or supply every file: --workload-toml, --oracle, --kernel, --reference-kernel."
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line says. supplied: path of the person's own file by its name in the workload. None: not given."""

    target: Path
    description: str | None
    model: str | None
    reviewer: str | None
    base_url: str | None
    device: str | None
    supplied: Mapping[str, Path]
    approved: bool
    json: bool


def begin(wish: Wish) -> int:
    """A new draft, taken as far as it goes. Raises: UsageError, WorkloadError, ModelUnavailable, Interrupted."""
    from warpwright.loop.describing.draft import Assignment, Draft, draft_directory

    _check_target(wish.target)
    description = _checked_description(wish)
    waiting = draft_directory(wish.target)
    if (waiting / "draft.json").exists():
        raise UsageError(
            f"{waiting}: a draft is there already; go on with: warpwright new {wish.target} --resume, or delete it"
        )
    for directory in (waiting, wish.target):
        if directory.exists() and any(directory.iterdir()):
            raise UsageError(f"{directory} is not empty, and no draft; name a new directory, or move that away.")
    model, reviewer = wish.model or "", wish.reviewer or wish.model or ""
    supplied = _read(wish)
    needed = _needed(wish.target, model, reviewer, frozenset(supplied))
    _check_address(wish.base_url)
    device = _checked_supplied(wish, supplied)
    clients = _clients(model, reviewer, wish.base_url, needed)
    draft = Draft.create(wish.target, Assignment(description, model, reviewer, device, wish.base_url), supplied)
    return _run(draft, clients, wish)


def resume(wish: Wish) -> int:
    """The draft that is there, as it is; the models may be others now."""
    from warpwright.loop.describing.draft import Draft

    _check_target(wish.target)
    draft = Draft.open(wish.target)
    given = draft.assignment
    if wish.device is not None and wish.device != given.device:
        raise UsageError(
            f"--device {wish.device}: the draft was begun for {given.device} and keeps to it; leave --device out, or begin anew"
        )
    _check_address(wish.base_url)
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

    def ask(
        self, messages: "Sequence[Message]", tools: "Sequence[ToolSpec]" = (), forbids: "Forbids | None" = None
    ) -> "Reply | ModelFault":
        """As the client asks. Raises: UsageError, ModelUnavailable if it cannot be opened."""
        if self._client is None:
            self._client = _open(self.name, self._base_url, "the draft stays as it is")
        return self._client.ask(messages, tools, forbids)


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


def _checked_supplied(wish: Wish, supplied: Mapping[str, str]) -> str:
    """The device by its own name. Raises: UsageError for a file of the person's that cannot be used, UnavailableError."""
    from warpwright.cli.bench_options import bench_options
    from warpwright.loop.describing.supplied import check_supplied

    device, faults = check_supplied(supplied, wish.device or "auto", bench_options())
    if faults:
        told = "\n".join(f"{wish.supplied[fault.file]} (as {fault.file}): {fault.text}" for fault in faults)
        raise UsageError(f"{told}\nNo model was asked.")
    return device


def _needed(target: Path, model: str, reviewer: str, own: frozenset[str]) -> tuple[bool, bool]:
    """Whether an author and whether a second has anything to write. Raises: UsageError if nobody is named for it."""
    from warpwright.loop.describing.draft import AUTHOR_FILES, SECOND

    writes, checks = not own.issuperset(AUTHOR_FILES), SECOND not in own
    if (writes and not model) or (checks and not reviewer):
        raise UsageError(_NO_MODEL.format(target=target))
    return writes, checks


def _check_target(target: Path) -> None:
    """Raises: UsageError for a path without a name of its own, after which the draft beside it is named."""
    if target.name in ("", ".."):
        raise UsageError(
            f"new {target}: the draft lies beside DIR under its name, and this path has none; write a name, such as "
            f"{target.resolve() / 'softmax'}"
        )


def _check_address(base_url: str | None) -> None:
    """Raises: UsageError for what is no address, or one that must not be kept."""
    from warpwright.proposer.model.client.address import checked_address

    if base_url is not None:
        checked_address(base_url)


Clients = tuple["ModelClient | None", "ModelClient | None"]


def _clients(model: str, reviewer: str, base_url: str | None, needed: tuple[bool, bool]) -> Clients:
    """Who writes the workload and who the second implementation; None where nothing is left to write."""
    writes, checks = needed
    left = "nothing was begun"
    author = _open(model, base_url, left) if writes else None
    same = author is not None and reviewer == model
    return author, (author if same else _open(reviewer, base_url, left)) if checks else None


def _open(words: str, base_url: str | None, left: str) -> "ModelClient":
    """A chat model that has answered one tiny request; how things stand if it does not.

    Raises: UsageError, ModelUnavailable, Interrupted.
    """
    from warpwright.loop.model.access import Refused, find_out, with_found
    from warpwright.proposer.model.client.opening import open_model
    from warpwright.proposer.registry import REPLAY

    if words.startswith(REPLAY):
        raise UsageError(f"--model {words}: a recorded session has no replies for a description; name PROVIDER:NAME.")
    user = _settings()
    settings = replace(user, options=replace(user.options, base_url=base_url, tools=False))
    found = find_out(words, settings.options, say, Refused(left))
    return open_model(words, with_found(settings, found).options, say)


def _settings() -> "ModelSettings":
    from warpwright.cli.model_settings import model_settings

    return model_settings()


def _run(draft: "Draft", clients: Clients, wish: Wish) -> int:
    from warpwright.cli.bench_options import bench_options
    from warpwright.loop.describing.account import account
    from warpwright.loop.describing.context import DescribeContext
    from warpwright.loop.describing.run import describe

    if draft.assignment.supplied:
        say(f"yours, and not generated: {', '.join(draft.assignment.supplied)}")
    context = DescribeContext(
        draft, *clients, bench=bench_options(), approved=wish.approved, say=say, costs=_settings().costs
    )

    shown: list[str] = []

    def decide(draft: "Draft") -> bool:
        shown.append(account(draft))
        if not wish.json:
            results().print(shown[-1], markup=False, soft_wrap=True)
        return wish.approved or (not wish.json and _says_yes())

    return _told(draft, describe(context, decide), wish, shown[-1] if shown else None)


def _says_yes() -> bool:
    """A person's answer; no where nobody can be asked, or who is asked leaves."""
    import sys

    if not sys.stdin.isatty():
        return False
    try:
        return confirmed("Is this what is to be computed?")
    except Interrupted:
        return False


def _told(draft: "Draft", described: "Described", wish: Wish, account: str | None) -> int:
    """account: as it was shown; None if all was done before. Raises: Interrupted while nobody has approved."""
    waiting = described.directory is None
    if wish.json:
        print_json(
            {
                "status": "waiting" if waiting else "approved",
                "directory": None if waiting else str(described.directory),
                "draft": str(described.draft) if waiting else None,
                "supplied": list(draft.assignment.supplied),
                "account": account,
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
