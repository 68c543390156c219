"""Previews of files: the head of a text or a table, or an image.

What a browser could run is never sent as what it is: SVG and HTML are shown as text.
"""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Awaitable, Callable, Iterable
from itertools import islice
from typing import Any

from ....errors import GpuQuotaError
from ....model.datasets.files import FilePreview
from ....store.entries import Entry, Location
from ....store.tasks import in_thread
from .reading import Reader, Source

MAGIC = b"PAR1"
_PAGE = 1 << 18

Read = Callable[[int, int], Awaitable[bytes]]
"""Returns a number of bytes of a file from an offset."""
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


async def preview(read: Read, size: int, rows: int, cell: int) -> FilePreview:
    """Return the first rows of a Parquet file; only what they need is read."""
    loop = asyncio.get_running_loop()

    def read_now(offset: int, count: int) -> bytes:
        return asyncio.run_coroutine_threadsafe(_bytes(read, offset, count), loop).result()

    return await in_thread(_preview, _Remote(read_now, size), rows, cell)


async def _bytes(read: Read, offset: int, count: int) -> bytes:
    return await read(offset, count)


def _preview(file: _Remote, rows: int, cell: int) -> FilePreview:
    try:
        from pyarrow import ArrowException  # noqa: PLC0415 (an optional dependency)
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError:
        why = "Tables in Parquet are shown where pyarrow is installed with the controller."
        return FilePreview(kind="none", why=why)
    try:
        # In pages: a whole group of rows may be gigabytes.
        table = ParquetFile(file, buffer_size=_PAGE, pre_buffer=False)
        batch = next(table.iter_batches(batch_size=rows), None)
    except GpuQuotaError:
        raise
    except (ArrowException, OSError, ValueError) as error:
        return FilePreview(kind="binary", why=f"It is not a Parquet table: {error}")
    columns = tuple(table.schema_arrow.names)
    found = batch.to_pylist() if batch is not None else []
    shown = tuple(tuple(str(row.get(name))[:cell] for name in columns) for row in found)
    more = table.metadata.num_rows > len(found)
    return FilePreview(kind="table", columns=columns, rows=shown, truncated=more)


class _Remote(io.RawIOBase):
    """A file that is read by ranges."""

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        self._read = read
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Return true."""
        return True

    def seekable(self) -> bool:
        """Return true."""
        return True

    def tell(self) -> int:
        """Return the offset of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to an offset, and return it."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read at most as many bytes as a buffer has room for."""
        body = self._read(self._at, min(len(buffer), self._size - self._at))
        buffer[: len(body)] = body
        self._at += len(body)
        return len(body)


class Previews:
    """Makes previews of what a reader reads."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def of(self, source: Source, entry: Entry, location: Location) -> FilePreview:
        """Return the preview of a file. Raises WrongState, Unavailable, Damaged."""
        if not entry.size:
            return FilePreview(kind="none", why="The file is empty.")
        head = await self._reader.read(source, entry, location, 0, HEAD)
        if head.startswith(MAGIC):
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

        return await preview(read, entry.size, ROWS, CELL)


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
