"""Text of others inside a prompt: cut to length, in one line or between marks that it cannot close, without paths.

Documents, comments, compiler output and earlier attempts may say anything, also to the model. They stand between
`<data-N>` and `</data-N>` with an N that they do not contain, and the prompt says once that what stands there is data.
"""

import re
from itertools import count

_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""Control characters, and those that hide or turn text: a reader of the prompt must see what the model sees."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_POSIX_PATH = re.compile(r"(?<![\w.:/<*-])/(?:[\w.+@~-]+/)+(?P<name>[\w.+@~-]+)")
_WINDOWS_PATH = re.compile(r"\b[A-Za-z]:[\\/](?:[^\\/:*?\"<>|\s]+[\\/])*(?P<name>[^\\/:*?\"<>|\s]+)")


def quoted(what: str, text: str, limit: int) -> str:
    """A block of somebody else's text. what: a few words of ours that name it."""
    body = clipped(visible(text), limit)
    lowered = body.lower()
    number = next(n for n in count(1) if f"data-{n}" not in lowered)
    return f'<data-{number} what="{what}">\n{body.rstrip("\n")}\n</data-{number}>'


def one_line(text: str, limit: int) -> str:
    """Somebody else's words inside a line of ours: no line ends, no marks, at most `limit` characters."""
    words = " ".join(visible(text).split()).replace("<data-", "<data ").replace("</data-", "</data ")
    return words if len(words) <= limit else words[: max(limit - 3, 0)].rstrip() + "..."


def visible(text: str) -> str:
    """The text with plain line ends and without characters that nobody sees; what is no Unicode becomes `?`."""
    return _UNSEEN.sub("", _SURROGATE.sub("?", _LINE_ENDS.sub("\n", text)))


def clipped(text: str, limit: int) -> str:
    """At most about `limit` characters: the beginning, cut at a line end where there is one near, and how much is left out."""
    if len(text) <= limit:
        return text
    end = text.rfind("\n", limit // 2, limit)
    kept = text[: end if end > 0 else limit]
    return f"{kept}\n[... {len(text) - len(kept)} characters left out ...]"


def without_paths(text: str) -> str:
    """File names instead of paths: where things lie on this machine is nobody's business."""
    return _WINDOWS_PATH.sub(r"\g<name>", _POSIX_PATH.sub(r"\g<name>", text))
