"""A session that is a JupyterLab with our extension: other sessions are beside it, not below."""

from __future__ import annotations

import json
from http import HTTPStatus
from urllib.parse import urljoin

import pytest

from tests.server.conftest import ask
from tests.server.extension import controller, extension, jp_server_config, reaches

__all__ = ["ask", "controller", "extension", "jp_server_config"]


@pytest.fixture(params=["/", "/user/ana/"])
def jp_base_url(request):
    return request.param


@pytest.fixture(autouse=True)
def configured(monkeypatch):
    """Have sessions read which extensions their environment has."""
    monkeypatch.delenv("JUPYTER_NO_CONFIG", raising=False)


@pytest.fixture
def launch(configured, extension, ask, jp_asyncio_loop):
    """Launch a session below a path, and wait until it runs; all are stopped at the end."""
    made = []

    async def launch(name, below=""):
        response = await ask("POST", f"{below}gpuquota/api/sessions", {"name": name})
        assert response.code == HTTPStatus.CREATED, response.body
        made.append(f"gpuquota/api/sessions/{json.loads(response.body)['id']}")
        return await reaches(ask, made[-1], "running")

    async def stop():
        for path in made:
            await ask("POST", f"{path}/stop", {})
        for path in made:
            await reaches(ask, path, "stopped")

    yield launch
    jp_asyncio_loop.run_until_complete(stop())


async def test_sessions_are_launched_and_opened_from_inside_a_session(launch, ask, jp_base_url):
    outer = await launch("outer")
    inner = await launch("inner", below=outer["path"])
    assert inner["spec"]["base_url"] == jp_base_url

    async def follow(path):
        """Return the paths that a browser is led along, up to one with an answer of its own."""
        seen = [f"{jp_base_url}{path}"]
        while len(seen) < 5:
            response = await ask("GET", seen[-1].removeprefix(jp_base_url))
            if response.code != HTTPStatus.FOUND:
                assert response.code == HTTPStatus.OK, (seen, response.body)
                return seen
            seen.append(urljoin(seen[-1], response.headers["Location"]))
        pytest.fail(f"redirected again and again: {seen}")

    direct = f"{jp_base_url}{inner['path']}api/status"
    assert await follow(f"{inner['path']}api/status") == [direct]
    below = f"{outer['path']}{inner['path']}api/status"
    assert await follow(below) == [f"{jp_base_url}{below}", direct]
