"""What a controller with one's own credentials can do, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.errors import Unavailable, Unsupported
from jupyter_gpuquota.kubernetes.backend import open_kubernetes
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.hosting import ADMINS, OWN, TEAM, for_one_person, notices
from jupyter_gpuquota.model.history import HistoryQuery
from jupyter_gpuquota.model.policy import PolicyRequest
from tests.fakes import ask, make_backend
from tests.kubernetes.fake_api import FakeApi


async def refusal(name: str, **asked: object) -> str:
    with pytest.raises(Unsupported) as caught:
        await ask(for_one_person(make_backend()), name, **asked)
    assert caught.value.hint == TEAM
    return caught.value.message


@pytest.mark.asyncio
async def test_what_needs_a_controller_for_the_team_is_refused_with_its_reason() -> None:
    backend = for_one_person(make_backend())
    assert {"administration", "policing", "history"}.isdisjoint(backend.capabilities)
    assert (await ask(backend, "about.get")).capabilities == backend.capabilities
    put = await refusal("policy.put", body=PolicyRequest())
    assert "has its projects set elsewhere" in put
    past = await refusal("history.get", query=HistoryQuery())
    assert "has no usage history" in past


@pytest.mark.parametrize(
    ("hosting", "admins", "said"),
    [
        ("unix", [], {OWN}),
        ("https", [], set()),
        ("https", ["ana"], {ADMINS}),
        ("unix", ["ana"], {OWN, ADMINS}),
    ],
)
def test_it_says_what_is_missing(hosting: str, admins: list[str], said: set[str]) -> None:
    control = GpuQuota(hosting=hosting, admins=admins)
    assert set(notices(control)) - {""} == said


@pytest.mark.parametrize("answering", [False, True])
@pytest.mark.asyncio
async def test_a_useless_connection_is_closed(tmp_path: Path, *, answering: bool) -> None:
    """In time for the loop's end, or its libraries complain after the error that users read."""
    api = FakeApi()
    api.controls.up = answering  # a server that answers does not know who this is

    async def connect() -> FakeApi:
        return api

    backend = open_kubernetes(GpuQuota(), KubernetesConfig(), tmp_path, connecting=connect)
    with pytest.raises(Unavailable):
        await backend.resident.start()
    assert api.closed
