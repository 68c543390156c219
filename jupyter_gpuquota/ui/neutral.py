"""Text of others on a terminal: colours and progress bars stay, nothing else controls it.

A control sequence can set a title, fill the clipboard, move what is shown, or let a terminal type
an answer.
"""

from __future__ import annotations

import re

_LONGEST = 4096
"""Letters of the longest sequence that is recognised; the letters of others are shown."""
_KEPT = "\a\b\t\n\r"
_SEQUENCE = re.compile(
    r"(?P<kept>\x1b\[[0-9;:]*m|\x1b\[[0-2]?K)"  # colours, and clearing the rest of a line
    r"|[\x1b][\[][0-?]*[ -/]*[@-~]"  # cursor, screen, modes, questions
    rf"|\x1b[\]PX^_][^\a\x1b\n]{{0,{_LONGEST}}}(?:\a|\x1b\\)"  # title, clipboard, links
    r"|\x1b[ -/]*[0-Z\\`-~]"  # other functions of two letters or more
    r"|(?P<other>[\x00-\x1f\x7f-\x9f])"
)
_BEGUN = re.compile(
    rf"\x1b(?:\[[0-?]{{0,64}}[ -/]{{0,8}}|[\]PX^_][^\a\x1b\n]{{0,{_LONGEST}}}\x1b?|[ -/]{{0,8}})?\Z"
)
_PICTURES = 0x2400
"""The picture of the first control character."""


class Neutral:
    """Makes a text neutral that comes in pieces."""

    def __init__(self) -> None:
        self._begun = ""

    def feed(self, piece: str) -> str:
        """Return what can be shown now; a sequence that has only begun is shown later."""
        text = self._begun + piece
        found = _BEGUN.search(text)
        end = found.start() if found else len(text)
        self._begun = text[end:]
        return _SEQUENCE.sub(_shown, text[:end])


def neutral(text: str) -> str:
    """Return a whole text without what controls a terminal."""
    return _SEQUENCE.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    if found["kept"]:
        return found["kept"]
    letter = found["other"]
    if letter is None:
        return ""
    if letter in _KEPT:
        return "" if letter == "\a" else letter
    if letter == "\x7f":
        return "\N{SYMBOL FOR DELETE}"
    return chr(_PICTURES + ord(letter)) if letter < " " else "\N{REPLACEMENT CHARACTER}"
