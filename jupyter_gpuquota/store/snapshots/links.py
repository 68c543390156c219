"""Symbolic links that lead out of a session's folder: kept as links, and never followed.

A version has no such links, as whoever mounts one would follow them. A snapshot has a file of them
instead: paths and targets, each ended by a NUL byte.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ...errors import Damaged
from .. import paths

FILE = "links"


def encode(links: Mapping[str, str]) -> bytes:
    """Return the file of links: targets by path."""
    pairs = sorted(links.items(), key=lambda link: paths.sort_key(link[0]))
    return b"".join(os.fsencode(f"{path}\0{target}\0") for path, target in pairs)


def decode(body: bytes) -> dict[str, str]:
    """Return targets by path. Raises Damaged for what is malformed, or no path in a folder."""
    *texts, rest = os.fsdecode(body).split("\0")
    found = dict(zip(texts[::2], texts[1::2], strict=False))
    if rest or len(texts) % 2 or any(map(paths.problem, found)) or not all(found.values()):
        raise Damaged("The snapshot's list of symbolic links is malformed.")
    return found


def make(root: Path, file: Path) -> None:
    """Make the links of a file, if there is one, in a folder that has been restored.

    Raises Damaged if a link would be elsewhere, or in the place of something else.
    """
    if not file.is_file():
        return
    real = root.resolve()
    for path, target in decode(file.read_bytes()).items():
        link = root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.parent.resolve() != real / Path(path).parent or os.path.lexists(link):
            raise Damaged(f"The symbolic link {paths.printable(path)} cannot be restored.")
        link.symlink_to(target)
