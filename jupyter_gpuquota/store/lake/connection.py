"""The objects of a lake by its URL; the only module that imports obstore."""

from __future__ import annotations

import asyncio
import errno
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
    UnknownConfigurationKeyError,
)
from obstore.store import MemoryStore, ObjectStore, S3Store, from_url

from ...core.datasets.urls import check_url
from ...core.fields import FieldReader
from ...errors import (
    FieldError,
    GpuQuotaError,
    NotAllowed,
    NotFound,
    StorageFailed,
    Unavailable,
    refused,
)
from ..tasks import answered, in_thread, together
from .credentials import aws_profile
from .folder import INCOMPLETE, FolderWriter
from .objects import Stored

if TYPE_CHECKING:
    from obstore import ObjectMeta


T = TypeVar("T")

_EXPIRED = re.compile("ExpiredToken|TokenRefreshRequired|InvalidToken|Request has expired")
_SKEWED = re.compile("RequestTimeTooSkewed|RequestExpired")
_DENIED = re.compile(r"status code: 40[13]\b")
"""What obstore says of a listing that is refused, which is a general error there."""
_FULL = re.compile(r"No space left on device|Disk quota exceeded")
_NUMBER = re.compile(r"\(os error (\d+)\)")
_PATH = re.compile(r"(?<= )/.*?(?=: )")
"""What obstore says of an error of the system: its number, and a path."""
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_CUT = re.compile("response body error|response body: HTTP error|error decoding response body")

_BEYOND = re.compile("Range Not Satisfiable|StartTooLarge")
_READS = 4
"""How often a body is read that does not arrive whole."""
_DELETING = 16
"""Objects that are deleted at once."""
_BULK = 1000
"""Objects that one request of S3 deletes at most."""


def connect(url: str, variables: Mapping[str, str] | None = None, **config: Any) -> Connection:
    """Return the objects below a URL: `s3://bucket/path`, `gs://…`, `az://…` or `file:///folder`.

    Credentials come from the usual environment variables and files of each provider; `variables`
    come before those of the environment, and `config` is passed on to obstore, which repeats
    requests that fail for a moment. Nothing is requested yet.

    :raises InvalidFields: the URL is malformed, or contains credentials.
    :raises NotAllowed: a profile of the AWS tools, or the folder, cannot be used.
    :raises StorageFailed: the disk of the folder fails.
    """
    reader = FieldReader()
    check_url("lake", url, reader)
    reader.finish()
    scheme = urlsplit(url).scheme
    folder = Path(unquote(urlsplit(url).path)) if scheme == "file" else None
    options = options_for(scheme, variables or {})
    try:
        return Connection(_opened(url, limited(scheme, {**options, **config})), url, folder)
    except (BaseError, ValueError, OSError) as error:
        why, hint = _first_line(error), ""
        if folder and not _is_folder(folder, url):
            why, hint = "the folder does not exist.", "Create it first."
        raise refused(FieldError("lake", f"{url} cannot be opened: {why}", hint)) from error


def _is_folder(folder: Path, url: str) -> bool:
    """Return whether a folder exists. Raises NotAllowed, StorageFailed where that is not known."""
    try:
        return folder.is_dir()
    except OSError as error:
        raise _refused_by_disk(error, url) from error


def in_memory(name: str) -> Connection:
    """Return objects that exist in this process only."""
    return Connection(MemoryStore(), name)


def _opened(url: str, options: dict[str, Any]) -> ObjectStore:
    """Return an opened store; variables that obstore does not know are passed over."""
    while True:
        try:
            return from_url(url, **options)
        except UnknownConfigurationKeyError as error:
            config = options.get("config", {})
            unknown = [name for name in config if f"'{name}'" in str(error)]
            if not unknown:
                raise
            rest = {name: each for name, each in config.items() if name not in unknown}
            options = {**options, "config": rest}


class Connection:
    """The objects of one lake; `folder` is where they are if that is a folder."""

    def __init__(self, store: ObjectStore, name: str, folder: Path | None = None) -> None:
        self._store = store
        self._name = name
        self._folder = FolderWriter(folder) if folder else None

    async def get(self, key: str) -> bytes:
        """Return the bytes of an object."""

        async def read() -> bytes:
            found = await answered(self._store.get_async(key))
            return bytes(await answered(found.bytes_async()))

        return await self._whole(key, read)

    async def get_ranges(
        self, key: str, starts: Sequence[int], sizes: Sequence[int]
    ) -> list[bytes]:
        """Return several ranges of an object; what lies beyond its end is missing from them."""
        return await read_ranges(partial(self._range, key), starts, sizes)

    async def _range(self, key: str, start: int, size: int) -> bytes:
        async def read() -> bytes:
            part = self._store.get_range_async(key, start=start, length=size)
            return bytes(await answered(part))

        try:
            return await self._whole(key, read)
        except Unavailable as error:
            if _BEYOND.search(str(error.__cause__)):
                return b""
            raise

    async def put(self, key: str, body: bytes, *, durable: bool = True) -> None:
        """Write an object, whether or not it exists."""
        with self._translated(key):
            if self._folder:
                write = self._folder.write
                await in_thread(write, key, body, replace=True, durable=durable)
            else:
                await answered(self._store.put_async(key, body))

    async def create(self, key: str, body: bytes, *, durable: bool = True) -> bool:
        """Write an object if the key is free, and return whether it was."""
        with self._translated(key):
            if self._folder:
                write = self._folder.write
                return await in_thread(write, key, body, replace=False, durable=durable)
            try:
                await answered(self._store.put_async(key, body, mode="create"))
            except (AlreadyExistsError, PreconditionError):
                return False
            return True

    async def flush(self) -> None:
        """Wait until everything that was written before is durable: servers say so at once."""
        if self._folder:
            with self._translated(""):
                await in_thread(self._folder.flush)

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete objects; those that do not exist are passed over."""
        if isinstance(self._store, S3Store):
            # Many in one request; those that do not exist are not errors.
            for start in range(0, len(keys), _BULK):
                with self._translated(self._name):
                    await answered(self._store.delete_async(keys[start : start + _BULK]))
            return
        limit = asyncio.Semaphore(_DELETING)
        await together(self._delete(key, limit) for key in keys)
        if self._folder:
            with self._translated(self._name):
                await in_thread(self._folder.removed, keys)

    async def _delete(self, key: str, limit: asyncio.Semaphore) -> None:
        async with limit:
            try:
                with self._translated(key):
                    await answered(self._store.delete_async(key))
            except NotFound:
                return

    async def sweep(self, prefix: str, age: timedelta) -> None:
        """Remove what writers that were killed so long ago have left incomplete below a prefix."""
        if self._folder:
            with self._translated(self._name):
                await in_thread(self._folder.sweep, prefix, age.total_seconds())

    async def head(self, key: str) -> Stored:
        """Return what is known of an object."""
        with self._translated(key):
            meta = await answered(self._store.head_async(key))
        return _stored(meta)

    async def list(self, prefix: str) -> AsyncIterator[Stored]:
        """Yield all objects whose keys begin with a prefix that ends with `/`."""
        last: str | None = None
        for left in reversed(range(_READS)):
            try:
                with self._translated(prefix):
                    chunks = self._store.list(prefix.rstrip("/"), offset=last)
                    while chunk := await answered(anext(chunks, None)):
                        for meta in chunk:
                            last = meta["path"]
                            yield _stored(meta)
            except Unavailable as error:
                if not left or not _is_cut(error):
                    raise
            else:
                return

    async def _whole(self, key: str, read: Callable[[], Awaitable[T]]) -> T:
        """Return what is read; repeat it where a body was cut, which obstore does not."""
        for _ in range(_READS - 1):
            try:
                with self._translated(key):
                    return await read()
            except Unavailable as error:
                if not _is_cut(error):
                    raise
        with self._translated(key):
            return await read()

    @contextmanager
    def _translated(self, key: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as error:
            raise self._error(error, key) from error

    def _error(self, error: Exception, key: str) -> GpuQuotaError:
        if isinstance(error, (NotFoundError, FileNotFoundError)):
            return NotFound(f"{self._name} has no object {key}.")
        if self._folder and (found := _of_disk(error)):
            return _refused_by_disk(found, self._name)
        return _error(error, self._name)


def _stored(meta: ObjectMeta) -> Stored:
    return Stored(meta["path"], meta["size"], meta["last_modified"], meta["e_tag"] or "")


def _of_disk(error: Exception) -> OSError | None:
    """Return the system's error that obstore tells as text, None if it tells another one."""
    if isinstance(error, OSError) and error.errno:
        return error
    found = _NUMBER.search(str(error))
    if not found:
        return None
    number, path = int(found[1]), _PATH.search(str(error))
    return OSError(number, os.strerror(number), path[0] if path else "")


def _refused_by_disk(error: OSError, name: str) -> GpuQuotaError:
    """Return the error of a lake whose folder the system does not read or write."""
    where = INCOMPLETE.sub("", error.filename or name)
    why = error.strerror or type(error).__name__
    if error.errno in _NO_ROOM:
        return StorageFailed(f"{name} is full.", hint="Free space there, then try again.")
    if error.errno == errno.EROFS:
        return StorageFailed(f"{name} is read-only.", hint="Check that it is mounted for writing.")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return NotAllowed(
            f"This account may not use {where}, which is in the lake {name}: {why}.",
            hint="Give its group the right to read and write every folder of the lake: "
            "chmod -R g+rwX, and chmod g+s for the folders.",
        )
    return StorageFailed(
        f"{name} cannot be used: {why}.", hint="Check its disk or mount, or use another folder."
    )


def _error(error: Exception, name: str) -> GpuQuotaError:
    text = str(error)
    if _EXPIRED.search(text):
        return NotAllowed(
            f"The credentials for {name} have expired.",
            hint="Renew them, then try again: nothing is sent twice.",
        )
    if _SKEWED.search(text):
        return NotAllowed(
            f"{name} refuses requests of this machine: its clock is wrong.", hint="Set the clock."
        )
    if isinstance(error, (PermissionDeniedError, UnauthenticatedError)) or _DENIED.search(text):
        return NotAllowed(
            f"{name} refuses these credentials.",
            hint="Check the credentials in your environment, and their rights.",
        )
    if _FULL.search(text):
        return StorageFailed(f"{name} is full.", hint="Free space there, then try again.")
    return Unavailable(
        f"{name} does not answer as expected: {_first_line(error)}",
        hint="Check its address and the network, then try again.",
    )


def _is_cut(error: Unavailable) -> bool:
    return _CUT.search(str(error.__cause__)) is not None


def _first_line(error: Exception) -> str:
    """Return what obstore says, without the server's document: it may name the access key."""
    return str(error).partition("\n")[0].partition(": <")[0]


_PREFIXES = {"s3": ("AWS_",), "gs": ("GOOGLE_",), "az": ("AZURE_",)}

_CONNECT = timedelta(seconds=10)
_SILENCE = timedelta(minutes=2)
"""How long a server may say nothing; it includes the time to send a part to it."""
_REQUEST = timedelta(minutes=10)
"""How long one request may take: a part of 64 MiB arrives by then over any usable network."""
_RETRIES = timedelta(minutes=2)
"""How long obstore repeats a request after 5xx answers and broken connections."""


def options_for(scheme: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """Return how obstore is to open a lake: its configuration, and who provides credentials."""
    found = {**os.environ, **variables}
    prefixes = _PREFIXES.get(scheme, ())
    config = {name.lower(): value for name, value in variables.items() if name.startswith(prefixes)}
    options: dict[str, Any] = {}
    profile = aws_profile(found) if scheme == "s3" else None
    if profile:
        options["credential_provider"], from_profile = profile
        known = {name.removeprefix("AWS_").removesuffix("_URL").lower() for name in found}
        config |= {name: each for name, each in from_profile.items() if name not in known}
    endpoints = (found.get("AWS_ENDPOINT_URL"), found.get("AWS_ENDPOINT"), config.get("endpoint"))
    if scheme == "s3" and any(each and each.startswith("http://") for each in endpoints):
        options["client_options"] = {"allow_http": True}
    return {**options, "config": config} if config else options


def limited(scheme: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with limits of time, where they have none."""
    if scheme == "file":
        return dict(options)
    client: dict[str, Any] = {
        "connect_timeout": _CONNECT,
        "read_timeout": _SILENCE,
        "timeout": _REQUEST,
    }
    if str(options.get("endpoint", "")).startswith("http://"):
        client["allow_http"] = True
    return {
        **options,
        "client_options": client | options.get("client_options", {}),
        "retry_config": {"retry_timeout": _RETRIES, **options.get("retry_config", {})},
    }


_GAP = 1 << 20
"""Bytes between two ranges up to which one request reads both."""


async def read_ranges(
    read: Callable[[int, int], Awaitable[bytes]], starts: Sequence[int], sizes: Sequence[int]
) -> list[bytes]:
    """Return several ranges; `read` returns one by its start and size, or what there is of it."""
    found: list[bytes] = [b""] * len(starts)

    async def fill(held: Sequence[int]) -> None:
        first = starts[held[0]]
        last = max(starts[number] + sizes[number] for number in held)
        body = await read(first, last - first)
        for number in held:
            at = starts[number] - first
            found[number] = body[at : at + sizes[number]]

    await together(fill(held) for held in _close(starts, sizes))
    return found


def _close(starts: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Return which ranges are read by one request, each by its number: those that lie close."""
    found: list[list[int]] = []
    end = 0
    for number in sorted(range(len(starts)), key=starts.__getitem__):
        if not found or starts[number] > end + _GAP:
            found.append([])
        found[-1].append(number)
        end = max(end, starts[number] + sizes[number])
    return found
