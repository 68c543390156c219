"""What the program says that reads copies: how far it is, the lists of files, then notebooks."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar

from ....control.inside import carrying
from ....core.snapshots.notebooks import SIZE
from ....errors import Unavailable
from ....store.tasks import in_thread
from . import script
from .files import Read, read_of

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Is told how many files and bytes were read."""

_MARK, _PROGRESS = script.MARK.encode(), script.PROGRESS.encode()
_NOTEBOOK = script.NOTEBOOK.encode()
_SAID = 200


class Notebooks(Protocol):
    """What stores the notebooks of copies."""

    async def lacking(self, read: Mapping[str, Read]) -> set[str]:
        """Return the sha256 of those to store, by what was read. Raises Damaged, Unavailable."""

    async def put(self, digest: str, body: bytes) -> None:
        """Store one by its sha256. Raises Unavailable, NotFound."""


async def heard(
    output: AsyncIterable[bytes], volumes: Sequence[str], progress: Progress, notebooks: Notebooks
) -> dict[str, Read]:
    """Return what was read of each volume, once notebooks are stored. Raises Unavailable."""
    found: dict[str, Read] | None = None
    lacking: set[str] = set()
    said = b""
    async for line in _lines(output):
        if line.startswith(_PROGRESS):
            _note(line, progress)
        elif line.startswith(_MARK):
            found = await _understood(_lists, line, volumes)
            lacking = await notebooks.lacking(found)
        elif line.startswith(_NOTEBOOK):
            digest, body = await _understood(_notebook, line)
            if digest in lacking:
                await notebooks.put(digest, body)
                lacking.discard(digest)
        else:
            said = line
        if found is not None and not lacking:
            break
    if found is None:
        raise _unclear(said.decode(errors="replace")[-_SAID:] or "It printed nothing.")
    return found


async def _lines(output: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    line = bytearray()
    async for part in output:
        *ends, rest = part.split(b"\n")
        for end in ends:
            yield bytes(line + end)
            line.clear()
        line += rest
    if line:
        yield bytes(line)


async def _understood(read: Callable[..., T], *args: object) -> T:
    """Call what reads a line, in a thread. Raises Unavailable for a line that is malformed."""
    try:
        return await in_thread(read, *args)
    except (carrying.Unreadable, ValueError, TypeError, KeyError, zlib.error) as error:
        raise _unclear(str(error)) from error


def _unclear(said: str) -> Unavailable:
    text = f"The pod that reads the copies did not list their files: {said}"
    return Unavailable(text, hint="Try again.")


def _lists(line: bytes, volumes: Sequence[str]) -> dict[str, Read]:
    found = map(read_of, carrying.answered(line.decode(), script.MARK))
    return dict(zip(volumes, found, strict=True))


def _notebook(line: bytes) -> tuple[str, bytes]:
    """Return the sha256 of a notebook and its bytes; those of one that is too large are cut."""
    packed = base64.b64decode(line[len(_NOTEBOOK) :])
    body = zlib.decompressobj().decompress(packed, SIZE + 1)
    return hashlib.sha256(body).hexdigest(), body


def _note(line: bytes, progress: Progress) -> None:
    with suppress(ValueError):
        files, size = line.removeprefix(_PROGRESS).split()
        progress(int(files), int(size))
