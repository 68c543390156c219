"""Tokens of the cluster, by TokenReview; tests/cluster asks a real API server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from traitlets.config import Application, Config

from jupyter_gpuquota.controller.authentication import close, load
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.rights import authenticator as module
from jupyter_gpuquota.kubernetes.rights.authenticator import TokenReviewAuthenticator
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_rbac import TOKENS, Rbac

pytestmark = pytest.mark.asyncio

ALICE = {
    "authenticated": True,
    "user": {"username": "alice", "groups": ["team-a", "system:authenticated"], "uid": "1"},
}
ROBOT = "system:serviceaccount:team-a:robot"


class Cluster:
    """A fake API server that knows tokens, and an authenticator that asks it."""

    def __init__(self, **settings: Any) -> None:
        self.api, self.rbac, self.now = FakeApi(), Rbac(), [0.0]
        self.opened = 0
        self.rbac.install(self.api)
        self.rbac.tokens["alice-token"] = ALICE

        async def opening() -> FakeApi:
            self.opened += 1
            return self.api

        self.authenticator = TokenReviewAuthenticator(
            open_api=opening, clock=lambda: self.now[0], **settings
        )

    async def ask(self, token: str) -> Caller | None:
        return await self.authenticator.authenticate(token)

    @property
    def asked(self) -> int:
        return len(self.api.calls)


async def test_the_cluster_says_who_it_is():
    cluster = Cluster()
    groups = frozenset({"team-a", "system:authenticated"})
    assert await cluster.ask("alice-token") == Caller("alice", groups, "kubernetes", uid="1")
    assert await cluster.ask("other") is None


async def test_a_service_account_has_its_full_name():
    cluster = Cluster()
    user = {"username": ROBOT, "groups": ["system:serviceaccounts"]}
    cluster.rbac.tokens["robot-token"] = {"authenticated": True, "user": user}
    assert (await cluster.ask("robot-token")).name == ROBOT


async def test_what_else_the_cluster_says_of_its_user_is_kept():
    cluster = Cluster()
    extra = {"example.org/scopes": ["read", "write"], "example.org/device": ["laptop"]}
    user = {"username": "ana", "extra": extra}
    cluster.rbac.tokens["ana-token"] = {"authenticated": True, "user": user}
    assert (await cluster.ask("ana-token")).extra == (
        ("example.org/device", ("laptop",)),
        ("example.org/scopes", ("read", "write")),
    )


async def test_an_answer_counts_for_a_minute_and_a_refusal_for_seconds():
    cluster = Cluster()
    for _ in range(3):
        await cluster.ask("alice-token")
        await cluster.ask("other")
    assert (cluster.asked, cluster.opened) == (2, 1)
    cluster.now[0] = module.UNKNOWN
    await cluster.ask("alice-token")
    await cluster.ask("other")
    assert cluster.asked == 3
    cluster.now[0] = module.KNOWN
    cluster.rbac.tokens.clear()
    assert await cluster.ask("alice-token") is None


async def test_many_who_come_at_once_ask_once():
    cluster = Cluster()
    cluster.api.controls.latency = 0.01
    found = await asyncio.gather(*(cluster.ask("alice-token") for _ in range(9)))
    assert {caller.name for caller in found} == {"alice"}
    assert cluster.asked == 1


@pytest.mark.parametrize(
    "status",
    [
        {"authenticated": False, "user": {"username": "alice"}},
        {"user": {"username": "alice"}},
        {"authenticated": True, "user": {"username": ""}},
        {"authenticated": True},
        {},
    ],
)
async def test_who_is_not_authenticated_is_unknown(status: dict[str, Any]):
    cluster = Cluster()
    cluster.rbac.tokens["alice-token"] = status
    assert await cluster.ask("alice-token") is None


@pytest.mark.parametrize(
    ("audiences", "accepted"),
    [(["gpuquota"], True), (["gpuquota", "other"], True), (["other"], False), ([], False)],
)
async def test_a_token_must_have_an_audience(audiences: list[str], *, accepted: bool):
    """An API server that ignores audiences answers without any."""
    cluster = Cluster(audiences=["gpuquota"])
    asked = []

    def review(body: dict[str, Any]) -> dict[str, Any]:
        asked.append(body["spec"])
        return {"status": {**ALICE, "audiences": audiences}}

    cluster.api.controls.answers[TOKENS] = review
    assert (await cluster.ask("alice-token") is not None) is accepted
    assert asked == [{"token": "alice-token", "audiences": ["gpuquota"]}]


@pytest.mark.parametrize(
    "answer", [Fault(0, "", "refused"), Fault(403, "Forbidden", "no"), Fault(500, "", "etcd"), b"?"]
)
async def test_no_answer_leaves_it_open_and_is_not_cached(answer: Any):
    cluster = Cluster()
    if isinstance(answer, Fault):
        cluster.api.fail(answer, "ask")
    else:
        cluster.api.controls.answers[TOKENS] = lambda _: answer
    with pytest.raises(Unavailable, match="cannot check tokens") as caught:
        await cluster.ask("alice-token")
    assert "alice-token" not in str(caught.value) + caught.value.hint
    cluster.rbac.install(cluster.api)
    assert await cluster.ask("alice-token")


async def test_credentials_that_are_missing_are_tried_again():
    cluster = Cluster()
    missing = [Unavailable("No Kubernetes cluster is configured.")]

    async def opening() -> FakeApi:
        if missing:
            raise missing.pop()
        return cluster.api

    authenticator = TokenReviewAuthenticator(open_api=opening)
    with pytest.raises(Unavailable, match="configured"):
        await authenticator.authenticate("alice-token")
    assert await authenticator.authenticate("alice-token")
    await close([authenticator, authenticator])
    assert cluster.api.closed


async def test_it_is_installed_and_configured_by_its_name():
    settings = Config({"TokenReviewAuthenticator": {"audiences": ["gpuquota"]}})
    [found] = load(["kubernetes"], Application(config=settings))
    assert isinstance(found, TokenReviewAuthenticator)
    assert found.audiences == ["gpuquota"]
