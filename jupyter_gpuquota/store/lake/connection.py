"""The objects of a lake by its URL; the only module that imports obstore."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
    UnknownConfigurationKeyError,
)
from obstore.store import ObjectStore, from_url

from ...errors import FieldError, GpuQuotaError, NotAllowed, NotFound, Unavailable, refused
from .credentials import aws_profile
from .objects import Stored

SCHEMES = ("file", "s3", "gs", "az")
_PREFIXES = {"s3": ("AWS_",), "gs": ("GOOGLE_",), "az": ("AZURE_",)}


def connect(url: str, variables: Mapping[str, str] | None = None, **config: Any) -> Connection:
    """Return the objects below a URL: `s3://bucket/path`, `gs://…`, `az://…` or `file:///folder`.

    Credentials come from the usual environment variables and files of each provider; `variables`
    come before those of the environment, and `config` is passed on to obstore. Nothing is requested
    yet.

    :raises InvalidFields: the URL is malformed, or contains credentials.
    :raises NotAllowed: a profile of the AWS tools cannot be used.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise refused(FieldError("lake", f"The URL of a lake begins with one of {known}."))
    if parts.username or parts.password or parts.query:
        raise refused(
            FieldError(
                "lake",
                "The URL of a lake contains no credentials.",
                "Use the environment or a credentials file.",
            )
        )
    options = _options(parts.scheme, variables or {})
    try:
        return Connection(_opened(url, {**options, **config}), url)
    except (BaseError, ValueError, FileNotFoundError) as error:
        raise refused(
            FieldError("lake", f"{url} cannot be opened: {_first_line(error)}")
        ) from error


def _options(scheme: str, variables: Mapping[str, str]) -> dict[str, Any]:
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
    """The objects of one lake."""

    def __init__(self, store: ObjectStore, name: str) -> None:
        self._store = store
        self._name = name

    async def get(self, key: str) -> bytes:
        """Return the bytes of an object."""
        with self._translated(key):
            found = await self._store.get_async(key)
            return bytes(await found.bytes_async())

    async def get_ranges(
        self, key: str, starts: Sequence[int], sizes: Sequence[int]
    ) -> list[bytes]:
        """Return several ranges of an object."""
        with self._translated(key):
            found = await self._store.get_ranges_async(key, starts=starts, lengths=sizes)
            return [bytes(each) for each in found]

    async def put(self, key: str, body: bytes) -> None:
        """Write an object, whether or not it exists."""
        with self._translated(key):
            await self._store.put_async(key, body)

    async def create(self, key: str, body: bytes) -> bool:
        """Write an object if the key is free, and return whether it was."""
        with self._translated(key):
            try:
                await self._store.put_async(key, body, mode="create")
            except (AlreadyExistsError, PreconditionError):
                return False
            return True

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete objects; those that do not exist are passed over."""
        for key in keys:
            try:
                with self._translated(key):
                    await self._store.delete_async(key)
            except NotFound:
                continue

    async def head(self, key: str) -> Stored:
        """Return what is known of an object."""
        with self._translated(key):
            meta = await self._store.head_async(key)
        return Stored(meta["path"], meta["size"], meta["last_modified"])

    async def list(self, prefix: str) -> AsyncIterator[Stored]:
        """Yield all objects whose keys begin with a prefix that ends with `/`."""
        with self._translated(prefix):
            async for chunk in self._store.list(prefix.rstrip("/")):
                for meta in chunk:
                    yield Stored(meta["path"], meta["size"], meta["last_modified"])

    @contextmanager
    def _translated(self, key: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, FileNotFoundError) as error:
            raise _error(error, self._name, key) from error


def _error(error: Exception, name: str, key: str) -> GpuQuotaError:
    if isinstance(error, (NotFoundError, FileNotFoundError)):
        return NotFound(f"{name} has no object {key}.")
    if isinstance(error, (PermissionDeniedError, UnauthenticatedError)):
        return NotAllowed(
            f"{name} refuses these credentials.",
            hint="Check the credentials in your environment, and their rights.",
        )
    return Unavailable(
        f"{name} does not answer as expected: {_first_line(error)}",
        hint="Check its address and the network, then try again.",
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
