"""What lists and hashes copies of volumes in a pod; it prints one line with everything.

The arguments are folders below that of the variable `GPUQUOTA_COPIES`. An answer has for each of
them the entries `[path, mode, size, sha256, target]`, and `unread`: `[path, why]`. Before it, lines
say how far it is; after it, each line has the bytes of a notebook whose cells can be compared.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
import sys
import time
import zlib
from typing import Any, Callable, Dict, Iterator, List  # noqa: UP035 (Python 3.8 in sessions)

from ....core.snapshots.notebooks import choose

MARK = "gpuquota-files:"
"""What precedes the answer."""
PROGRESS = "gpuquota-read:"
"""What precedes the number of files and bytes that were read."""
NOTEBOOK = "gpuquota-notebook:"
"""What precedes the compressed bytes of a notebook."""

_PIECE = 1 << 20
_PAUSE = 2.0
_KEPT_BY_EXT4 = "lost+found"

Found = Dict[str, List[List[Any]]]  # noqa: UP006 (Python 3.8 in sessions)


class Progress:
    """Says at times how much was read, so that the connection is not idle."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said = time.monotonic()
        self.files = self.size = 0

    def read(self, size: int) -> None:
        """Note that bytes were read."""
        self.size += size
        if time.monotonic() - self._said >= _PAUSE:
            self._said = time.monotonic()
            self._say(f"{PROGRESS}{self.files} {self.size}")


def main() -> None:
    """Print what is in the folders."""
    base, progress = os.environ["GPUQUOTA_COPIES"], Progress(_say)
    roots = [os.path.realpath(f"{base}/{name}") for name in sys.argv[1:]]
    found = [look(root, progress) for root in roots]
    _say(MARK + _packed(json.dumps(found).encode()))
    for root, each in zip(roots, found):  # noqa: B905 (Python 3.8)
        for body in notebooks(root, each):
            _say(NOTEBOOK + _packed(body))


def look(root: str, progress: Progress) -> Found:
    """Return the files, links and empty folders below a folder; links are not followed."""
    found = {"entries": [], "unread": []}  # type: Found

    def refused(path: str, error: OSError) -> None:
        found["unread"].append([path, error.strerror or str(error)])

    for entry in walk(root, "", refused):
        path = os.path.relpath(entry.path, root)
        try:
            read = _read(entry, progress)
        except OSError as error:
            refused(path, error)
            continue
        if read:
            found["entries"].append([path, *read])
        progress.files += 1
    return found


def notebooks(root: str, found: Found) -> Iterator[bytes]:
    """Yield the notebooks of a folder that are stored; one that cannot be read is missing."""
    stored, _ = choose((path, size, sha256) for path, _, size, sha256, _ in found["entries"])
    for path in stored.values():
        try:
            opened = os.open(f"{root}/{path}", os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(opened, "rb") as file:
                body = file.read()
        except OSError:
            continue
        yield body


def walk(
    folder: str, below: str, refused: Callable[[str, OSError], None]
) -> Iterator[os.DirEntry[str]]:
    """Yield what is in a folder at any depth, of folders only those that are empty."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda each: os.fsencode(each.name))
    except OSError as error:
        refused(below or ".", error)
        return
    for entry in entries:
        path = below + entry.name
        if path == _KEPT_BY_EXT4:
            continue
        if entry.is_dir(follow_symlinks=False):
            empty = True
            for inner in walk(entry.path, path + "/", refused):
                empty = False
                yield inner
            if empty:
                yield entry
        else:
            yield entry


def _read(entry: os.DirEntry[str], progress: Progress) -> List[Any]:  # noqa: UP006
    """Return mode, size, sha256 and target; nothing of sockets and devices. Raises OSError."""
    if entry.is_symlink():
        return ["120000", 0, "", os.readlink(entry.path)]  # noqa: PTH115 (as it is written)
    if entry.is_dir(follow_symlinks=False):
        return ["040000", 0, "", ""]
    if not entry.is_file(follow_symlinks=False):
        return []
    hashed, size = hashlib.sha256(), 0
    opened = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(opened, "rb", buffering=0) as file:
        executable = os.fstat(opened).st_mode & stat.S_IXUSR
        while True:
            piece = file.read(_PIECE)
            if not piece:
                break
            hashed.update(piece)
            size += len(piece)
            progress.read(len(piece))
    return ["100755" if executable else "100644", size, hashed.hexdigest(), ""]


def _packed(body: bytes) -> str:
    return base64.b64encode(zlib.compress(body)).decode()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
