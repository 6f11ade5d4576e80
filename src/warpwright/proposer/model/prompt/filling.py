"""The texts of prompts: files in `texts/` with `$names` that are filled in."""

from functools import cache
from importlib.resources import files
from string import Template


def fill(name: str, **values: str) -> str:
    """A text with every `$name` filled in; what is filled in is not searched for names again.

    Raises: KeyError for a name without a value.
    """
    return _template(name).substitute(values).strip()


@cache
def _template(name: str) -> Template:
    path = files(__package__).joinpath("texts", f"{name}.md")
    return Template(path.read_text(encoding="utf-8"))
