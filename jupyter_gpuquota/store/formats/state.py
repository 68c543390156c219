"""One state of data that another tool has stored, and what a format is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..entries import FILE, Mode
from ..lake.objects import Readable


@dataclass(frozen=True, slots=True)
class Item:
    """One file: on this disk at `local`, or an object of a lake by its `key`.

    `digest` is what the other tool knows of its content, `ALGORITHM:HEX`, empty if nothing; `size`
    is in bytes. A link has a `target` instead.
    """

    path: str
    size: int = 0
    local: Path | None = None
    key: str = ""
    digest: str = ""
    mode: Mode = FILE
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One state of some data: its files, and what is known of where it came from."""

    items: Sequence[Item]
    objects: Readable | None = None
    message: str = ""
    author: str = ""
    time: datetime | None = None
    source: str = ""
    tag: str = ""


States = Callable[[str, Mapping[str, str]], "list[State]"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, which places look like it, and how the states at a place are read.

    `read` is given the place, a path or a URL, and the variables that have credentials; it returns
    the states from the oldest to the newest. It blocks, and raises NotFound, NotAllowed, Damaged,
    InvalidFields or Unavailable.
    """

    name: str
    matches: Callable[[str], bool]
    read: States
