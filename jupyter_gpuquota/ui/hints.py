"""Commands that messages name, as they are written in a notebook."""

from __future__ import annotations

import re

_IN_SHELL = re.compile(r"(?<!shell: )\bjupyter gpu (?!(?:bash|controller)\b)")
"""A command, unless it is one for shells only, or the message says to use a shell."""


def in_notebook(text: str) -> str:
    """Return a message with `%gpu list` in place of `jupyter gpu list`."""
    return _IN_SHELL.sub("%gpu ", text)
