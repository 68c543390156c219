"""The head of a Parquet file, read by pyarrow where it is installed."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any

from ....errors import GpuQuotaError
from ....model.datasets.files import FilePreview
from ....store.tasks import in_thread

MAGIC = b"PAR1"
_PAGE = 1 << 18

Read = Callable[[int, int], Awaitable[bytes]]
"""Returns a number of bytes of a file from an offset."""


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
