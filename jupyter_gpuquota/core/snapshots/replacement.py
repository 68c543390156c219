"""Replacing a folder by another one, step by step, so that it can be taken up after a kill.

Three names are concerned: `place` is where the original folder is and the new one shall be,
`folder` where the new one is before, `kept` where the original one is afterwards. Each step is one
rename. What is next follows from which names exist, and from nothing else.
"""

from __future__ import annotations

from typing import Literal

Step = Literal["keep", "put", "done", "lost"]


def replacing(*, place: bool, folder: bool, kept: bool) -> Step:
    """Return the next step of a replacement: which names exist says how far it is.

    `keep` renames `place` to `kept`, `put` renames `folder` to `place`. `lost`: somebody else has
    removed a folder.
    """
    if folder and not kept:
        return "keep" if place else "put"
    if folder:
        return "lost" if place else "put"
    return "done" if place else "lost"


def undoing(*, place: bool, folder: bool, kept: bool) -> Step:
    """Return the next step of an undo: it moves `place` to `folder`, then `kept` to `place`."""
    if kept:
        if place:
            return "lost" if folder else "keep"
        return "put"
    return "done" if place else "lost"
