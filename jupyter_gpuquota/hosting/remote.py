"""A controller that is hosted for many people: where it is, and the token to come in with."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..errors import NoServer

if TYPE_CHECKING:
    import ssl
    from http.client import HTTPConnection

URL = "JUPYTER_GPUQUOTA_URL"
TOKEN_FILE = "JUPYTER_GPUQUOTA_TOKEN_FILE"  # noqa: S105 (a variable's name)
CA = "JUPYTER_GPUQUOTA_CA"
HUB_TOKEN = "JUPYTERHUB_API_TOKEN"  # noqa: S105 (the same)

VARIABLES = (URL, TOKEN_FILE, CA)
"""What says where such a controller is; kernels and terminals inherit it."""

_URL = re.compile(r"https?://[^@\s]+", re.ASCII)
_TOKEN = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Remote:
    """A controller that is reached by its URL.

    The token is read from `token_file`, or else is the one that JupyterHub has given to the
    server that we are in; `ca` is a file of authorities that its certificate is checked with.
    """

    url: str
    token_file: Path | None = None
    ca: Path | None = None

    def __post_init__(self) -> None:
        """Raise NoServer for a URL that a token must not be sent to; it may hold a secret."""
        try:
            parts = urlsplit(self.url)
            whole = self.host and self.port and not (parts.query or parts.fragment)
        except ValueError:
            whole = False
        if not (whole and _URL.fullmatch(self.url) and (self.encrypted or is_loopback(self.host))):
            raise NoServer(
                f"{URL} is not the URL of a controller.",
                hint="It begins with https://, or with http:// on this machine, and holds neither "
                "a user nor a token.",
            )

    @property
    def encrypted(self) -> bool:
        """Whether what is sent to it is encrypted."""
        return self.url.startswith("https:")

    @property
    def host(self) -> str:
        """The name or address of its machine."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """Its port."""
        return urlsplit(self.url).port or (443 if self.encrypted else 80)

    @property
    def netloc(self) -> str:
        """What the header Host says."""
        return urlsplit(self.url).netloc

    @property
    def path(self) -> str:
        """What the paths of its interface begin with, without a slash at the end."""
        return urlsplit(self.url).path.rstrip("/")

    def headers(self) -> dict[str, str]:
        """Return what a request carries for us to be known. Raises NoServer.

        The token is read each time: it may be renewed while we run.
        """
        return {"Authorization": f"Bearer {self._token()}"}

    def tls(self) -> ssl.SSLContext | None:
        """Return how its certificate is checked; None for plain HTTP. Raises NoServer."""
        if not self.encrypted:
            return None
        try:
            return _context(self.ca, self.ca.stat().st_mtime_ns if self.ca else 0)
        except OSError as error:
            raise NoServer(
                f"The authorities in {self.ca} cannot be used: {error.strerror or error}.",
                hint=f"{CA} names a file in PEM format.",
            ) from error

    def connection(self, timeout: float) -> HTTPConnection:
        """Return a connection to it, which is not open yet; `timeout` in seconds."""
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
                said = getattr(error, "strerror", None) or "it is not plain text"
                raise NoServer(
                    f"The token in {self.token_file} cannot be read: {said}.",
                    hint=f"{TOKEN_FILE} names a file with the token and nothing else.",
                ) from None
        if not _TOKEN.fullmatch(found):
            raise NoServer(
                f"There is no token for {self.url}.",
                hint=f"Put it into a file and name that in {TOKEN_FILE}.",
            )
        return found


def in_environment(environ: Mapping[str, str] = os.environ) -> Remote | None:
    """Return the controller that the environment names, None if it names none. Raises NoServer."""
    url = environ.get(URL, "")
    if not url:
        return None
    token_file, ca = (environ.get(name, "") for name in (TOKEN_FILE, CA))
    return Remote(url, Path(token_file) if token_file else None, Path(ca) if ca else None)


def is_loopback(host: str) -> bool:
    """Return whether what is sent to a host stays on this machine."""
    import ipaddress  # noqa: PLC0415 (keeps the import light)

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@lru_cache(maxsize=4)
def _context(ca: Path | None, _changed: int) -> ssl.SSLContext:
    """Return what a certificate is checked with; reading the system's authorities takes long."""
    import ssl  # noqa: PLC0415 (keeps the import light)

    context = ssl.create_default_context(cafile=ca)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
