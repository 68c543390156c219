"""Sessions are reached at their Services or through port-forwards, with a token from the Secret."""

from __future__ import annotations

import base64

import pytest
from msgspec import structs

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.errors import NotAllowed, NotFound, Unavailable, WrongState
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.ingress.ingress import forwards_ports
from jupyter_gpuquota.kubernetes.resident.cluster import NO_PROXY, reaching
from jupyter_gpuquota.kubernetes.resources import SECRETS
from jupyter_gpuquota.model.idleness import PresenceRequest
from tests.builders import NOW
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.session_pod import make_pod, make_running

SESSION = make_running(ports=(6006,), base_url="/lab/")
SECRET = SECRETS.path("team-a", "gpu-exp-1")
TOKEN = "id-exp-1.secret"  # noqa: S105 (a test's)


def holding(token: str):
    return {"data": {"token": base64.b64encode(token.encode()).decode()}}


class Lab:
    """The ingress of one session."""

    def __init__(self, folder, reach: str = "service", session=SESSION, proxy=()) -> None:
        self.api = FakeApi()
        self.api.controls.answers[SECRET] = holding(TOKEN)
        self.session = session
        self.all = reaching(
            KubernetesConfig(reach=reach, proxy=list(proxy)),
            self.api,
            folder,
            self.find,
            lambda _: make_pod(self.session),
            Clock(),
        )
        self.endpoint = self.all.ingress.endpoint

    def find(self, session_id: str):
        if session_id != self.session.id:
            raise NotFound("No such session.")
        return self.session


async def test_inside_the_cluster_the_service_is_reached(tmp_path):
    found = await Lab(tmp_path).endpoint(SESSION.id, 0)
    assert (found.authority, found.socket) == ("gpu-exp-1.team-a.svc:8888", "")
    assert found.base_url == "/lab/gpuquota/s/id-exp-1/"
    assert found.headers == {"Authorization": f"token {TOKEN}"}


async def test_from_outside_a_socket_of_the_state_folder_is(tmp_path):
    lab = Lab(tmp_path, "port-forward")
    found = await lab.endpoint(SESSION.id, 0)
    assert found.socket.startswith(str(tmp_path))
    assert await lab.endpoint(SESSION.id, 0) == found
    other = await lab.endpoint(SESSION.id, 6006)
    assert other.socket != found.socket
    await lab.all.close()


async def test_without_a_configured_proxy_services_may_be_out_of_reach(tmp_path):
    assert Lab(tmp_path).all.notice == NO_PROXY
    assert Lab(tmp_path, "port-forward").all.notice == ""
    assert Lab(tmp_path, proxy=[{"podSelector": {}}]).all.notice == ""


async def test_an_exposed_port_gets_no_token(tmp_path):
    lab = Lab(tmp_path)
    found = await lab.endpoint(SESSION.id, 6006)
    assert (found.authority, found.headers, found.base_url) == (
        "gpu-exp-1.team-a.svc:6006",
        {},
        "/",
    )
    assert not lab.api.calls


async def test_the_token_is_read_once_a_run(tmp_path):
    lab = Lab(tmp_path)
    for _ in range(3):
        await lab.endpoint(SESSION.id, 0)
    assert len(lab.api.calls) == 1
    lab.session = structs.replace(SESSION, run=2)
    lab.api.controls.answers[SECRET] = holding("new")
    assert (await lab.endpoint(SESSION.id, 0)).headers == {"Authorization": "token new"}


async def test_only_running_sessions_and_exposed_ports_are_reached(tmp_path):
    with pytest.raises(NotFound):
        await Lab(tmp_path).endpoint("nobody", 0)
    with pytest.raises(NotAllowed):
        await Lab(tmp_path).endpoint(SESSION.id, 22)
    ended = structs.replace(SESSION, state="stopped")
    with pytest.raises(WrongState):
        await Lab(tmp_path, session=ended).endpoint(SESSION.id, 0)


@pytest.mark.parametrize(
    "answer", [{}, {"data": {"token": "no base64"}}, holding("two\nlines"), b"no JSON"]
)
async def test_a_secret_without_a_token_is_named(tmp_path, answer):
    lab = Lab(tmp_path)
    lab.api.controls.answers[SECRET] = answer
    with pytest.raises(Unavailable, match="gpu-exp-1 of exp-1 has no token"):
        await lab.endpoint(SESSION.id, 0)


@pytest.mark.parametrize(
    ("status", "error"), [(403, NotAllowed), (404, WrongState), (0, Unavailable)]
)
async def test_a_secret_that_cannot_be_read_is_explained(tmp_path, status, error):
    lab = Lab(tmp_path)
    lab.api.fail(Fault(status, "Refused", "why"), verb="read")
    with pytest.raises(error) as caught:
        await lab.endpoint(SESSION.id, 0)
    assert caught.value.hint


async def test_presence_is_recorded(tmp_path):
    lab = Lab(tmp_path)
    await lab.all.ingress.presence(SESSION.id, PresenceRequest(at=NOW))
    assert lab.all.presence.used(SESSION.id)
    with pytest.raises(NotFound):
        await lab.all.ingress.presence("nobody", PresenceRequest(at=NOW))


def test_pods_are_outside_no_longer():
    inside = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    assert forwards_ports("auto", {})
    assert not forwards_ports("auto", inside)
    assert forwards_ports("port-forward", inside)
    assert not forwards_ports("service", {})
