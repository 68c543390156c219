"""Real sessions of a real Jupyter Server: where they work, and how its ingress shows them."""

from __future__ import annotations

import base64
import json
import sys
import uuid

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from tests.server.conftest import ask
from tests.server.extension import controller, extension, jp_server_config, reaches
from tests.waiting import patience

__all__ = ["ask", "controller", "extension", "jp_server_config"]

SIZE = 3_000_000


@pytest.fixture
def session(extension, ask, jp_asyncio_loop):
    """A session that is stopped at the end."""

    async def start():
        response = await ask("POST", "gpuquota/api/sessions", {"name": "exp-1"})
        assert response.code == 201, response.body
        path = f"gpuquota/api/sessions/{json.loads(response.body)['id']}"
        return await reaches(ask, path, "running")

    async def stop(path):
        await ask("POST", f"{path}/stop", {})
        await reaches(ask, path, "stopped")

    session = jp_asyncio_loop.run_until_complete(start())
    yield session
    jp_asyncio_loop.run_until_complete(stop(f"gpuquota/api/sessions/{session['id']}"))


async def test_a_session_works_in_the_servers_folder_and_environment(extension, ask, jp_root_dir):
    (jp_root_dir / "work").mkdir()
    request = {"name": "exp-1", "folder": "work", "command": ["true"]}
    response = await ask("POST", "gpuquota/api/sessions", request)
    assert response.code == 201, response.body
    session = json.loads(response.body)
    assert session["spec"]["folder"] == str(jp_root_dir / "work")
    assert session["spec"]["environment"] == sys.prefix
    await reaches(ask, f"gpuquota/api/sessions/{session['id']}", "done")


async def test_pages_kernels_and_files_of_a_session(
    session, ask, jp_base_url, jp_serverapp, jp_auth_header
):
    root = session["path"]
    status = await ask("GET", f"{root}api/status")
    assert status.code == 200, status.body

    page = await ask("GET", f"{root}tree", headers={**jp_auth_header, "Accept": "text/html"})
    assert page.code in (200, 302, 404)
    where = page.headers.get("Location", f"{jp_base_url}{root}")
    assert where.startswith(f"{jp_base_url}{root}")

    kernel = json.loads((await ask("POST", f"{root}api/kernels", {"name": "python3"})).body)["id"]
    url = f"127.0.0.1:{jp_serverapp.port}{jp_base_url}{root}"
    channels = f"ws://{url}api/kernels/{kernel}/channels"
    socket = await websocket_connect(HTTPRequest(channels, headers=jp_auth_header))
    await socket.write_message(json.dumps(execute("print(6 * 7)")))
    said = ""
    while "42" not in said:
        said = str(await socket.read_message())
        assert said != "None"
    socket.close()
    while await socket.read_message() is not None:
        pass
    assert (await ask("DELETE", f"{root}api/kernels/{kernel}")).code == 204

    content = base64.b64encode(bytes(range(256)) * (SIZE // 256)).decode()
    model = {"type": "file", "format": "base64", "content": content}
    assert (await ask("PUT", f"{root}api/contents/large.bin", model)).code == 201
    download = await AsyncHTTPClient().fetch(
        f"http://{url}files/large.bin", headers=jp_auth_header, request_timeout=patience()
    )
    assert download.body == base64.b64decode(content)


def execute(code):
    """Return a message that runs code, and asks for no answer but its output."""
    return {
        "header": {
            "msg_id": uuid.uuid4().hex,
            "msg_type": "execute_request",
            "username": "",
            "session": uuid.uuid4().hex,
            "version": "5.3",
        },
        "parent_header": {},
        "metadata": {},
        "channel": "shell",
        "content": {
            "code": code,
            "silent": False,
            "store_history": False,
            "user_expressions": {},
            "allow_stdin": False,
        },
    }
