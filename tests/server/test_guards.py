"""Nothing that the extension mounts answers whom Jupyter does not know or does not allow.

It is asked as a browser would ask, so this holds however Jupyter's decorators are made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from tornado import web
from tornado.routing import Router

from jupyter_gpuquota.server.ingress.mount import UpgradeMatches
from tests.server.conftest import Rights

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
REFUSALS = {302, 401, 403, 405}  # 302: to the login page; 405: there is no such verb
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket"}


@dataclass(frozen=True)
class Door:
    """A path that a handler serves, and the headers without which it would not."""

    handler: type[web.RequestHandler]
    path: str
    headers: dict[str, str]


@pytest.fixture
def jp_server_config(tmp_path) -> dict[str, Any]:
    """Our extension in a server that leaves all checks to the handlers."""
    return {
        "ServerApp": {
            "jpserver_extensions": {"jupyter_gpuquota": True},
            "allow_unauthenticated_access": True,
            "disable_check_xsrf": True,
            "authorizer_class": Rights,
        },
        "GpuQuota": {"state_dir": str(tmp_path / "state")},
    }


def doors(router: Router, ours: Callable[[type], bool]) -> Iterator[Door]:
    """Find where handlers are mounted, with a path that leads to each."""
    for rule in router.rules:
        if isinstance(rule.target, Router):
            yield from doors(rule.target, ours)
        elif isinstance(rule.target, type) and ours(rule.target):
            upgrades = isinstance(rule.matcher, UpgradeMatches)
            yield Door(rule.target, sample(rule.matcher.regex), UPGRADE if upgrades else {})


def sample(pattern: re.Pattern[str]) -> str:
    """Return a path that matches."""
    path = re.sub(r"\(\?:[^)]*\)\?", "", pattern.pattern.rstrip("$"))
    path = re.sub(r"\(\?P<port>[^)]*\)", "8000", path)
    path = re.sub(r"\(\?P<\w+>[^)]*\)", "x", path).replace("[^/]+", "x").replace("\\", "")
    assert pattern.match(path), (pattern, path)
    return path


@pytest.fixture
def unguarded(jp_serverapp, http_server_client, jp_auth_header, rights):
    """Return a function that names what answers strangers, or anyone who has no rights."""
    rights.allowed = frozenset()

    async def let_in(door: Door, method: str, headers: dict[str, str]) -> bool:
        response = await http_server_client.fetch(
            door.path,
            method=method,
            headers={**door.headers, **headers},
            allow_nonstandard_methods=True,
            follow_redirects=False,
            raise_error=False,
        )
        return response.code not in REFUSALS

    async def unguarded(ours: Callable[[type], bool]) -> tuple[int, set[str]]:
        found = list(doors(jp_serverapp.web_app.default_router, ours))
        bad = {
            f"{door.handler.__name__}.{method.lower()}"
            for door in found
            for method in METHODS
            for headers in ({}, jp_auth_header)
            if await let_in(door, method, headers)
        }
        return len(found), bad

    return unguarded


async def test_everything_of_ours_is_guarded(unguarded):
    count, bad = await unguarded(lambda target: target.__module__.startswith("jupyter_gpuquota."))
    assert count > 30
    assert bad == set()


class RawResponse(APIHandler):
    def get(self):
        pass


class OnlyKnown(APIHandler):
    @web.authenticated
    def post(self):
        pass


class Guarded(APIHandler):
    @web.authenticated
    @authorized("read", "gpuquota")
    def get(self):
        pass


async def test_a_verb_without_a_guard_is_found(unguarded, mount):
    made = {RawResponse, OnlyKnown, Guarded}
    mount([(f"tried/{each.__name__}", each) for each in made])
    _, bad = await unguarded(made.__contains__)
    assert bad == {"RawResponse.get", "OnlyKnown.post"}
