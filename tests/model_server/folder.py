"""Answers from files, in the order of their names.

NAME.md or NAME.txt is a reply with that text. NAME.toml is any other answer; its keys are the fields of `Answer` (answer.py):

    status = 500                    # a failure, with `error = "its words"`
    text_file = "long.md"           # a file beside it that holds the text; or text = "..."
    stop = "length"                 # cut off; also content_filter, tool_calls
    tokens = [900, 300, 0]          # read, written, cached; [] tells none
    delay_s = 5                     # silence before the answer
    raw = "<html>"                  # this instead of anything of the protocol
    [[calls]]                       # the model asks for a look-up
    name = "source"
    arguments = { attempt = 1 }
"""

import tomllib
from pathlib import Path

from model_server.answer import Answer, Call


def read_folder(folder: Path) -> list[Answer]:
    """Every answer of a folder; files that a `text_file` names are no answers of their own."""
    fields = {path: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.toml"))}
    named = {folder / values["text_file"] for values in fields.values() if "text_file" in values}
    texts = [path for path in folder.iterdir() if path.suffix in (".md", ".txt") and path not in named]
    answers = []
    for path in sorted([*fields, *texts]):
        if path in fields:
            answers.append(_answer(folder, fields[path]))
        else:
            answers.append(Answer(path.read_text(encoding="utf-8")))
    return answers


def _answer(folder: Path, values: dict[str, object]) -> Answer:
    given = dict(values)
    if "text_file" in given:
        given["text"] = (folder / str(given.pop("text_file"))).read_text(encoding="utf-8")
    if "tokens" in given:
        given["tokens"] = tuple(given["tokens"]) if given["tokens"] else None  # type: ignore[arg-type]
    calls = given.pop("calls", [])
    assert isinstance(calls, list)
    return Answer(**given, calls=tuple(Call(**call) for call in calls))  # type: ignore[arg-type]
