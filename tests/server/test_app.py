"""The extension as a Jupyter Server runs it."""

from __future__ import annotations

import json

import pytest

from jupyter_gpuquota.environ import BACKEND, SESSION, STATE_DIR
from jupyter_gpuquota.errors import InvalidRequest
from jupyter_gpuquota.hosting.config_files import Choice
from jupyter_gpuquota.hosting.locate import in_environment
from jupyter_gpuquota.server.events import SCHEMA_ID
from tests.server.extension import controller, eventually, extension, jp_server_config, reaches

__all__ = ["controller", "extension", "jp_server_config"]


async def test_a_session_lives_and_ends(extension, ask, jp_base_url, jp_serverapp, controller):
    assert in_environment() == Choice(controller.backend, str(controller.state_dir))
    heard = []

    async def listen(logger, schema_id, data):
        heard.append(data["noun"])

    response = await ask(
        "POST", "gpuquota/api/sessions", {"name": "exp-1", "command": ["sleep", "600"]}
    )
    assert response.code == 201, response.body
    session = json.loads(response.body)
    assert session["spec"]["base_url"] == jp_base_url

    logger = jp_serverapp.event_logger
    await eventually(lambda: _done(SCHEMA_ID in logger.schemas))
    logger.add_listener(schema_id=SCHEMA_ID, listener=listen)
    path = f"gpuquota/api/sessions/{session['id']}"
    await reaches(ask, path, "running")
    await ask("POST", f"{path}/stop", {})
    await reaches(ask, path, "stopped")
    await eventually(lambda: _done("sessions" in heard))
    assert (await ask("DELETE", path)).code == 200


async def _done(value):
    return value


async def test_a_folder_that_cannot_be_used_is_told(extension, ask, controller):
    controller.state_dir.write_text("a file is in the way")
    response = await ask("GET", "gpuquota/api/sessions")
    assert response.code == 503
    problem = json.loads(response.body)
    assert problem["code"] == "NoServer"
    assert str(controller.state_dir) in problem["message"]
    controller.state_dir.unlink()


@pytest.fixture
def in_a_pod(monkeypatch):
    """Simulate a session on a cluster that cannot reach its controller."""
    for name in (BACKEND, STATE_DIR):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv(SESSION, "s1")


async def test_in_a_session_whose_controller_is_elsewhere_nothing_is_started(
    in_a_pod, extension, ask, controller
):
    for path in ("about", "sessions"):
        response = await ask("GET", f"gpuquota/api/{path}")
        problem = json.loads(response.body)
        assert (response.code, problem["code"]) == (503, "LaunchedElsewhere")
        assert problem["message"] == "This session was launched from another machine."
    assert not in_environment()
    assert not controller.state_dir.exists()


@pytest.mark.parametrize("jp_argv", [["--GpuQuota.backend=another"]])
def test_leaving_takes_back_what_kernels_were_told(jp_serverapp, jp_asyncio_loop, controller):
    (extension,) = jp_serverapp.extension_manager.extension_apps["jupyter_gpuquota"]
    assert in_environment() == Choice("another", str(controller.state_dir))
    jp_asyncio_loop.run_until_complete(extension.stop_extension())
    assert in_environment() == Choice(controller.backend)


@pytest.mark.parametrize("jp_argv", [["--GpuQuota.ingress_host={session}.gpu.test"]])
async def test_a_session_s_host_has_nothing_of_jupyter(extension, ask, jp_auth_header):
    assert (await ask("GET", "api/status")).code == 200
    there = {**jp_auth_header, "Host": "sabcdefghi23.gpu.test"}
    assert (await ask("GET", "api/status", headers=there)).code == 404


@pytest.mark.parametrize("jp_argv", [["--GpuQuota.ingress_host=sabcdefghi23.{session}.test"]])
def test_a_host_of_sessions_that_cannot_be_is_refused_at_start(jp_configurable_serverapp, jp_argv):
    with pytest.raises(InvalidRequest, match="first label"):
        jp_configurable_serverapp(argv=jp_argv, reraise_server_extension_failures=True)
