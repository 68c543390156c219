"""Previews of files: the head of a text or a table, or an image.

What a browser could run is never sent as what it is: SVG and HTML are shown as text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from itertools import islice

from ....model.datasets.files import FilePreview
from ....store.entries import Entry, Location
from ....store.tasks import in_thread
from . import parquet
from .reading import Reader, Source

HEAD = 64 << 10
"""Bytes of a text that are shown."""
IMAGE = 8 << 20
"""Bytes of the largest image that is shown."""
ROWS = 50
CELL = 200
"""Characters of a cell that are shown."""

_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
)
_DELIMITERS = {"csv": ",", "tsv": "\t"}


class Previews:
    """Makes previews of what a reader reads."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def of(self, source: Source, entry: Entry, location: Location) -> FilePreview:
        """Return the preview of a file. Raises WrongState, Unavailable, Damaged."""
        if not entry.size:
            return FilePreview(kind="none", why="The file is empty.")
        head = await self._reader.read(source, entry, location, 0, HEAD)
        if head.startswith(parquet.MAGIC):
            return await self._parquet(source, entry, location)
        media_type = image_type(head)
        if not media_type:
            return await in_thread(text_or_table, entry.path, head, entry.size)
        if entry.size > IMAGE:
            why = f"The image is larger than {IMAGE >> 20} MiB."
            return FilePreview(kind="none", media_type=media_type, why=why)
        body = await self._reader.read(source, entry, location, 0, IMAGE)
        return FilePreview(kind="image", media_type=media_type, data=body)

    async def _parquet(self, source: Source, entry: Entry, location: Location) -> FilePreview:
        async def read(offset: int, size: int) -> bytes:
            return await self._reader.read(source, entry, location, offset, size)

        return await parquet.preview(read, entry.size, ROWS, CELL)


def image_type(head: bytes) -> str:
    """Return the media type of an image that browsers show and do not run, else an empty text."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _IMAGES if head.startswith(magic)), "")


def text_or_table(path: str, head: bytes, size: int) -> FilePreview:
    """Return the preview of a file by its first bytes."""
    truncated = len(head) < size
    text = _text(head, truncated=truncated)
    if text is None:
        return FilePreview(kind="binary", why="The file is binary.", truncated=truncated)
    delimiter = _DELIMITERS.get(path.rpartition(".")[2].lower())
    if delimiter and (rows := _rows(text, delimiter, truncated=truncated)):
        more = truncated or len(rows) > ROWS + 1
        return FilePreview(
            kind="table", columns=rows[0], rows=tuple(rows[1 : ROWS + 1]), truncated=more
        )
    return FilePreview(kind="text", text=text, truncated=truncated)


def _text(head: bytes, *, truncated: bool) -> str | None:
    """Return bytes as text, None if they are not text; a character may be cut at the end."""
    if b"\0" in head:
        return None
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        cut = (
            truncated and error.start >= len(head) - 3 and error.reason.startswith("unexpected end")
        )
        return head[: error.start].decode("utf-8-sig") if cut else None


def _rows(text: str, delimiter: str, *, truncated: bool) -> list[tuple[str, ...]]:
    """Return the first rows of a table, of a text that may be cut; none if it is not a table."""
    if truncated:
        text = text[: text.rfind("\n") + 1]
    try:
        found = list(
            islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), ROWS + 2)
        )
    except csv.Error:
        return []
    return [cells(row) for row in found if row]


def cells(row: Iterable[str]) -> tuple[str, ...]:
    """Return the cells of a row as they are shown."""
    return tuple(cell if len(cell) <= CELL else f"{cell[: CELL - 1]}…" for cell in row)
