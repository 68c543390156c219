"""Lakes whose credentials are in Secrets: where these are found, and how they change."""

from __future__ import annotations

import base64

import pytest

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.datasets.lakes import SecretLakes
from jupyter_gpuquota.kubernetes.resources import SECRETS
from jupyter_gpuquota.model.datasets.datasets import Lake
from tests.kubernetes.fake_api import FakeApi

pytestmark = pytest.mark.asyncio

TEAMS = ("team-a", "team-b")
LAKE = Lake(name="main", url="s3://bucket/lake", credentials="keys")


def put(api: FakeApi, namespace: str, value: str = "x") -> None:
    """Let a namespace have the Secret."""
    data = {"AWS_REGION": base64.b64encode(value.encode()).decode()}
    api.put(SECRETS, {"metadata": {"name": "keys", "namespace": namespace}, "data": data})


async def test_a_lake_opens_once_a_namespace_has_its_secret() -> None:
    api = FakeApi(TEAMS)
    lakes = SecretLakes(api, "")
    with pytest.raises(Unavailable, match="not read yet"):
        lakes.open(LAKE)
    assert not await lakes.read([LAKE], TEAMS)
    with pytest.raises(Unavailable, match="The Secret keys cannot be used"):
        lakes.open(LAKE)
    put(api, "team-b")
    assert await lakes.read([LAKE], TEAMS) == {"main"}
    lakes.open(LAKE)
    assert not await lakes.read([LAKE], TEAMS)


async def test_what_has_changed_is_told_and_what_is_gone_is_forgotten() -> None:
    api = FakeApi(TEAMS)
    lakes = SecretLakes(api, "")
    put(api, "team-a")
    await lakes.read([LAKE], TEAMS)
    put(api, "team-a", "y")
    assert await lakes.read([LAKE], TEAMS) == {"main"}
    await api.delete(SECRETS, "team-a", "keys")
    assert not await lakes.read([LAKE], TEAMS)
    with pytest.raises(Unavailable, match="keys"):
        lakes.open(LAKE)


async def test_only_projects_that_may_use_a_lake_say_where_it_is() -> None:
    api = FakeApi(TEAMS)
    lakes = SecretLakes(api, "")
    theirs = Lake(name="b", url=LAKE.url, credentials="keys", projects=("team-b",))
    put(api, "team-a")
    assert await lakes.read([LAKE, theirs], TEAMS) == {"main"}
    with pytest.raises(Unavailable):
        lakes.open(theirs)
    put(api, "team-b")
    assert await lakes.read([LAKE, theirs], TEAMS) == {"b"}


async def test_without_an_answer_the_last_one_remains_in_use() -> None:
    api = FakeApi(TEAMS)
    lakes = SecretLakes(api, "")
    put(api, "team-a")
    await lakes.read([LAKE], TEAMS)
    api.fail(Fault(503, "ServiceUnavailable", "busy"), "read")
    assert not await lakes.read([LAKE], TEAMS)
    lakes.open(LAKE)
