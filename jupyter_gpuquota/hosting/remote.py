"""A controller that is hosted for many users: its URL, certificate and our token."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..environ import CA, TOKEN_FILE, URL
from ..errors import NoServer

if TYPE_CHECKING:
    import ssl
    from http.client import HTTPConnection

HUB_TOKEN = "JUPYTERHUB_API_TOKEN"  # noqa: S105 (a variable's name)

VARIABLES = (URL, TOKEN_FILE, CA)
"""Environment variables of such a controller, inherited by kernels and terminals."""

_URL = re.compile(r"https?://[^@\s]+", re.ASCII)
_TOKEN = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Remote:
    """A controller that is reached by its URL.

    The token is read from `token_file`, else it is the one that JupyterHub gave to the server that
    we run in; `ca` is a file with the certificate authorities that verify its certificate.
    """

    url: str
    token_file: Path | None = None
    ca: Path | None = None

    def __post_init__(self) -> None:
        """Raise NoServer for a URL to which a token must not be sent; the URL may be a secret."""
        try:
            parts = urlsplit(self.url)
            whole = self.host and self.port and not (parts.query or parts.fragment)
        except ValueError:
            whole = False
        if not (whole and _URL.fullmatch(self.url) and (self.encrypted or is_loopback(self.host))):
            raise NoServer(
                f"{URL} is not a valid URL of a controller.",
                hint="It must begin with https://, or with http:// on this machine, without user "
                "or token.",
            )

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables by which other processes find it; they hold no token."""
        found = {URL: self.url, TOKEN_FILE: self.token_file, CA: self.ca}
        return {name: str(value) for name, value in found.items() if value}

    @property
    def encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return self.url.startswith("https:")

    @property
    def host(self) -> str:
        """Its host name or address."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """Its port."""
        return urlsplit(self.url).port or (443 if self.encrypted else 80)

    @property
    def netloc(self) -> str:
        """The value of the header Host."""
        return urlsplit(self.url).netloc

    @property
    def path(self) -> str:
        """The prefix of the paths of its interface, without a trailing slash."""
        return urlsplit(self.url).path.rstrip("/")

    def headers(self) -> dict[str, str]:
        """Return the headers that authenticate a request. Raises NoServer.

        The token is read each time: it may be renewed while we run.
        """
        return {"Authorization": f"Bearer {self._token()}"}

    def tls(self) -> ssl.SSLContext | None:
        """Return the TLS context that verifies its certificate, None for HTTP. Raises NoServer."""
        if not self.encrypted:
            return None
        with self._reading():
            return _context(self.ca, self.ca.stat().st_mtime_ns if self.ca else 0)

    def authorities(self) -> str:
        """Return the authorities that verify its certificate, as PEM; empty: the system's.

        Raises NoServer.
        """
        with self._reading():
            return self.ca.read_text(encoding="ascii") if self.ca else ""

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (OSError, UnicodeDecodeError) as error:
            said = getattr(error, "strerror", None) or error
            raise NoServer(
                f"The authorities in {self.ca} are unusable: {said}.",
                hint=f"Set {CA} to a file in PEM format.",
            ) from error

    def connection(self, timeout: float) -> HTTPConnection:
        """Return a connection to it, not yet open; `timeout` in seconds."""
        import http.client  # noqa: PLC0415 (keeps the import light)

        context = self.tls()
        if context is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=context)

    def _token(self) -> str:
        if self.token_file is None:
            found = os.environ.get(HUB_TOKEN, "")
        else:
            try:
                found = self.token_file.read_text(encoding="ascii").strip()
            except (OSError, UnicodeDecodeError) as error:
                said = getattr(error, "strerror", None) or "not plain text"
                raise NoServer(
                    f"The token in {self.token_file} is unreadable: {said}.",
                    hint=f"Set {TOKEN_FILE} to a file that contains only the token.",
                ) from None
        if not _TOKEN.fullmatch(found):
            raise NoServer(
                f"The token for {self.url} is missing.",
                hint=f"Put it into a file and set {TOKEN_FILE} to its path.",
            )
        return found


def in_environment(environ: Mapping[str, str] = os.environ) -> Remote | None:
    """Return the controller set in the environment, None if none is set. Raises NoServer."""
    url = environ.get(URL, "")
    if not url:
        return None
    token_file, ca = (environ.get(name, "") for name in (TOKEN_FILE, CA))
    return Remote(url, Path(token_file) if token_file else None, Path(ca) if ca else None)


def is_loopback(host: str) -> bool:
    """Return whether a host is a loopback address."""
    import ipaddress  # noqa: PLC0415 (keeps the import light)

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@lru_cache(maxsize=4)
def _context(ca: Path | None, _changed: int) -> ssl.SSLContext:
    """Return a TLS context; cached, because reading the system's authorities takes long."""
    import ssl  # noqa: PLC0415 (keeps the import light)

    context = ssl.create_default_context(cafile=ca)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
