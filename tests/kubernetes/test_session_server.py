"""A real Jupyter Server with command, variables and configuration of a session's manifests."""

from __future__ import annotations

import base64
import http.client
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.builders.container import container
from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.volumes import CONFIG_FILES, secret
from jupyter_gpuquota.model.pods import PodOptions
from jupyter_gpuquota.model.sessions import Session
from scripts.ports import free_port
from tests.kubernetes.test_builders import TOKEN, image_session
from tests.waiting import patience

Get = Callable[..., tuple[int, str]]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return image_session(folder=str(tmp_path))


@pytest.fixture
def made(session: Session) -> dict[str, Any]:
    """The container, with this Python's JupyterLab in the place of the image's."""
    defaults = PodDefaults(server=(sys.executable, "-m", "jupyterlab", "--allow-root"))
    return container(session, PodOptions(), Parts(defaults=defaults), [])


@pytest.fixture
def get(session: Session, made: dict[str, Any], tmp_path: Path) -> Iterator[Get]:
    """Runs the server on loopback, and returns how to read a page of it."""
    port = free_port()
    replaced = {"=8888": f"={port}", "=0.0.0.0": "=127.0.0.1"}
    words = list(made["command"])
    for old, new in replaced.items():
        words = [w.replace(old, new) if w.endswith(old) else w for w in words]
    config = tmp_path / "config"
    config.mkdir()
    for name in CONFIG_FILES:
        (config / name).write_bytes(
            base64.b64decode(secret(session, TOKEN, PodDefaults())["data"][name])
        )
    token = tmp_path / "token"
    token.write_text(TOKEN)
    env = {
        **{name: os.environ[name] for name in ("PATH",)},
        "HOME": str(tmp_path),
        "JUPYTER_TOKEN_FILE": str(token),
        "JUPYTER_TOKEN": "of the image",
        "JUPYTER_CONFIG_PATH": str(config),
    }
    log = (tmp_path / "log").open("wb")
    with log, subprocess.Popen(words, env=env, cwd=tmp_path, stdout=log, stderr=log) as server:

        def read(path: str, token: str = "") -> tuple[int, str]:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            headers = {"Authorization": f"token {token}"} if token else {}
            try:
                connection.request("GET", path, headers=headers)
                answer = connection.getresponse()
                return answer.status, answer.getheader("Location", "") + answer.read().decode()
            except OSError:
                return 0, ""  # it does not listen yet
            finally:
                connection.close()

        try:
            yield read
        finally:
            server.terminate()


def test_it_is_ready_without_a_token_and_otherwise_wants_one_that_no_page_has(
    get: Get, made: dict[str, Any]
) -> None:
    probe = made["readinessProbe"]["httpGet"]["path"]
    end = time.monotonic() + patience()
    while get(probe)[0] != HTTPStatus.OK:
        assert time.monotonic() < end
        time.sleep(0.2)
    base = probe.partition("api?")[0]
    assert get(f"{base}api/status")[0] == HTTPStatus.FORBIDDEN
    assert get(f"{base}api/status", "another")[0] == HTTPStatus.FORBIDDEN
    assert get(f"{base}api/status", TOKEN)[0] == HTTPStatus.OK
    status, page = get(f"{base}lab", TOKEN)
    assert status == HTTPStatus.OK
    assert TOKEN not in page
    assert get(base, TOKEN) == (HTTPStatus.FOUND, f"{base}lab/workspaces/exp-1?")
