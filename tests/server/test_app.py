"""The extension inside a Jupyter Server, with a controller of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys

import pytest

from jupyter_gpuquota.hosting.unix import UnixConnection
from jupyter_gpuquota.server.events import SCHEMA_ID


@pytest.fixture
def state_dir(tmp_path):
    yield tmp_path / "state"
    connection = UnixConnection(tmp_path / "state" / "controller.sock", 30)
    try:
        connection.request("POST", "/gpuquota/retire")
        connection.getresponse().read()
    except FileNotFoundError:
        pass  # it was never needed
    finally:
        connection.close()


@pytest.fixture
def jp_server_config(state_dir):
    return {
        "ServerApp": {
            "jpserver_extensions": {"jupyter_gpuquota": True},
            "allow_unauthenticated_access": False,
        },
        "GpuQuota": {"state_dir": str(state_dir)},
    }


@pytest.fixture
def extension(jp_serverapp, jp_asyncio_loop):
    """Run the extension the way a server does; `jp_serverapp` stops it."""
    (extension,) = jp_serverapp.extension_manager.extension_apps["jupyter_gpuquota"]
    jp_asyncio_loop.run_until_complete(extension._start_jupyter_server_extension(jp_serverapp))
    return extension


async def eventually(look):
    async with asyncio.timeout(60):
        while not (found := await look()):  # noqa: ASYNC110 (processes tell nobody)
            await asyncio.sleep(0.05)
        return found


async def test_a_session_lives_and_ends(
    extension, ask, jp_base_url, jp_root_dir, jp_serverapp, state_dir
):
    assert os.environ["GPUQUOTA_STATE_DIR"] == str(state_dir)
    assert os.environ["JUPYTER_GPUQUOTA_BACKEND"] == "local"
    heard = []

    async def listen(logger, schema_id, data):
        heard.append(data["noun"])

    (jp_root_dir / "work").mkdir()
    request = {"name": "exp-1", "folder": "work", "command": ["sleep", "600"]}
    response = await ask("POST", "gpuquota/api/sessions", request)
    assert response.code == 201, response.body
    session = json.loads(response.body)
    assert session["spec"]["base_url"] == jp_base_url
    assert session["spec"]["folder"] == str(jp_root_dir / "work")
    assert session["spec"]["environment"] == sys.prefix

    logger = jp_serverapp.event_logger
    await eventually(lambda: _done(SCHEMA_ID in logger.schemas))
    logger.add_listener(schema_id=SCHEMA_ID, listener=listen)
    path = f"gpuquota/api/sessions/{session['id']}"

    async def state() -> str:
        return json.loads((await ask("GET", path)).body)["state"]

    await eventually(lambda: _is(state, "running"))
    await ask("POST", f"{path}/stop", {})
    await eventually(lambda: _is(state, "stopped"))
    await eventually(lambda: _done("sessions" in heard))
    assert (await ask("DELETE", path)).code == 200


async def _is(state, wanted):
    return await state() == wanted


async def _done(value):
    return value


async def test_a_folder_that_cannot_be_used_is_told(extension, ask, state_dir):
    state_dir.parent.joinpath("state").write_text("a file is in the way")
    response = await ask("GET", "gpuquota/api/sessions")
    assert response.code == 503
    problem = json.loads(response.body)
    assert problem["code"] == "NoServer"
    assert str(state_dir) in problem["message"]
    state_dir.unlink()


def test_leaving_takes_back_what_kernels_were_told(jp_serverapp, jp_asyncio_loop):
    (extension,) = jp_serverapp.extension_manager.extension_apps["jupyter_gpuquota"]
    names = {"GPUQUOTA_STATE_DIR", "JUPYTER_GPUQUOTA_BACKEND"}
    assert names <= set(os.environ)
    jp_asyncio_loop.run_until_complete(extension.stop_extension())
    assert not names & set(os.environ)
