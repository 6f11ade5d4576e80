"""CUDA text that moves put into a user's source; `$name` marks what they fill in."""

from importlib.resources import files
from string import Template


def snippet(file_name: str, **words: str) -> str:
    """The text of a snippet file with every `$name` filled in. Raises: KeyError for a name without a value."""
    text = files(__package__).joinpath(file_name).read_text(encoding="utf-8")
    return Template(text).substitute(words)
