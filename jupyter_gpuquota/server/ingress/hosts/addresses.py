"""Hosts of sessions apart from JupyterLab's: their addresses, and the cookie of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec
from tornado.httputil import HTTPServerRequest, split_host_and_port
from tornado.web import RequestHandler

from ....core.hosts import HostPattern, Place, parse
from ....errors import InvalidRequest
from ....model.addresses import lab_path
from ..protocol.cookies import NAME, SAFE_PREFIX
from .handover import Entrance, Handovers, Login

_DAYS = 30


class _Cookie(msgspec.Struct, array_like=True):
    """The cookie of a session's host: the key, and the origin of the browser's JupyterLab."""

    key: str
    lab: str


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of all sessions and their logins; `base_url` is JupyterLab's."""

    pattern: HostPattern
    base_url: str
    handovers: Handovers

    @property
    def entrance(self) -> str:
        """The path at which a code is exchanged for a cookie."""
        return f"{self.base_url}gpuquota/enter"

    def place_of(self, request: HTTPServerRequest) -> Place | None:
        """Return the place of a request's host, None for any other host."""
        return self.pattern.place_at(request.host_name)

    def place_at(self, request: HTTPServerRequest) -> Place:
        """Return the place of a request that was routed by its host."""
        place = self.place_of(request)
        if place is None:
            raise LookupError(request.host)
        return place

    def origin_of(self, place: Place, request: HTTPServerRequest) -> str:
        """Return the origin of a place, given a request to JupyterLab's host."""
        port = split_host_and_port(request.host)[1]
        return f"{request.protocol}://{self.pattern.host_of(place, port)}"

    def prefix_of(self, place: Place) -> str:
        """Return the path prefix of a place at its host.

        It is the same as at JupyterLab's host, so that a session's pages have one base URL. Other
        programs expect to be at the root; with a base URL of JupyterLab they cannot be, as a proxy
        routes by it.
        """
        return "" if place.port and self.base_url == "/" else self._lab_prefix(place)

    def to_place(self, place: Place, path: str) -> str:
        """Return the path at a place's host for a path at JupyterLab's host."""
        return self.prefix_of(place) + path.removeprefix(self._lab_prefix(place))

    def to_lab(self, place: Place, path: str) -> str:
        """Return the path at JupyterLab's host for a path at a place's host."""
        return self._lab_prefix(place) + path.removeprefix(self.prefix_of(place))

    def login_of(self, handler: RequestHandler, place: Place) -> Login | None:
        """Return the login of a request's cookie, None without a valid one."""
        cookie = _read(handler)
        return self.handovers.find(cookie.key, place) if cookie else None

    def lab_of(self, handler: RequestHandler) -> str:
        """Return the origin of the browser's JupyterLab, empty if unknown.

        It is valid even if the cookie's key is from before a restart, as the cookie is signed.
        """
        cookie = _read(handler)
        return cookie.lab if cookie else ""

    def set_cookie(self, handler: RequestHandler, entrance: Entrance) -> None:
        """Set the cookie with the key, for this host only and hidden from scripts."""
        cookie = _Cookie(entrance.key, entrance.login.lab)
        handler.set_signed_cookie(
            _cookie_name(handler.request),
            msgspec.json.encode(cookie),
            expires_days=_DAYS,
            path="/",
            httponly=True,
            samesite="Lax",
            secure=handler.request.protocol == "https",
        )

    def _lab_prefix(self, place: Place) -> str:
        return lab_path(self.base_url, place.session, place.port)


def hosts_of(config: Mapping[str, Any], base_url: str, lab_names: Iterable[str]) -> Hosts | None:
    """Return the configured hosts, None if sessions have no hosts of their own.

    Raises InvalidRequest for an invalid pattern, or one that matches JupyterLab's own host.
    """
    text = str(config.get("GpuQuota", {}).get("ingress_host", "") or "")
    if not text:
        return None
    pattern = parse(text)
    for name in lab_names:
        if pattern.place_at(name):
            raise InvalidRequest(
                f"GpuQuota.ingress_host {text!r} matches JupyterLab's own host {name}.",
                hint="Use a separate domain for sessions.",
            )
    return Hosts(pattern, base_url, Handovers())


def lab_names(server: Any, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the known names of a Jupyter Server's own host."""
    addresses = (server.custom_display_url, environ.get("JUPYTERHUB_PUBLIC_URL", ""))
    return [server.ip, *server.local_hostnames, *(urlsplit(a).hostname or "" for a in addresses)]


def _cookie_name(request: HTTPServerRequest) -> str:
    """Return the cookie's name; it includes the port, as all ports of a host share cookies."""
    port = split_host_and_port(request.host)[1]
    prefix = SAFE_PREFIX if request.protocol == "https" else ""
    return f"{prefix}{NAME}" + (f"-{port}" if port else "")


def _read(handler: RequestHandler) -> _Cookie | None:
    value = handler.get_signed_cookie(_cookie_name(handler.request), max_age_days=_DAYS)
    if not value:
        return None
    try:
        return msgspec.json.decode(value, type=_Cookie)
    except msgspec.MsgspecError:
        return None  # from an earlier version
