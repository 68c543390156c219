"""Whoever is away hears of it by a webhook."""

from __future__ import annotations

import json

import pytest
import pytest_asyncio
from tornado import httpserver, testing, web
from traitlets import TraitError

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.control.webhook import Webhook
from tests.contract.backend_contract import launch, until
from tests.local.conftest import wait_for
from tests.local.policies import set_policy

pytestmark = pytest.mark.asyncio


class Hook(web.RequestHandler):
    """Keep what is posted, and answer as the test wants."""

    def initialize(self, posted: list[str], status: int) -> None:
        self.posted, self.status = posted, status

    def post(self) -> None:
        self.posted.append(json.loads(self.request.body)["text"])
        self.set_status(self.status)


@pytest_asyncio.fixture
async def listen():
    """Start servers that take messages."""
    servers = []

    def start(status: int = 200) -> tuple[str, list[str]]:
        posted: list[str] = []
        options = {"posted": posted, "status": status}
        sock, port = testing.bind_unused_port()
        server = httpserver.HTTPServer(web.Application([("/secret", Hook, options)]))
        server.add_socket(sock)
        servers.append(server)
        return f"http://127.0.0.1:{port}/secret", posted

    yield start
    for server in servers:
        server.stop()


async def test_the_end_of_a_longest_life_is_told_before_and_after(listen, make):
    address, posted = listen()
    backend = await make(webhook=address)
    await set_policy(backend, interactive_life="2s")
    made = await launch(backend, "exp-1", gpu="0.5", command=("sleep", "1000"))
    session = await until(backend, made.id, "stopped")
    await wait_for(lambda: len(posted) >= 2)
    whose = f"{session.owner}'s GPU session exp-1 (team-a): "
    [warned] = [step.message for step in session.progress if "longest life" in step.message]
    assert posted == [whose + warned, whose + session.reason.message]
    assert "interactive_life of everyone's policy" in session.reason.message


async def test_a_message_is_posted_as_slack_wants_it(listen):
    address, posted = listen()
    webhook = Webhook(address)
    webhook.tell(["It is idle."])
    await wait_for(lambda: posted)
    assert posted == ["It is idle."]
    await webhook.close()
    assert not webhook.trouble


async def test_without_an_address_nothing_is_done():
    webhook = Webhook("")
    webhook.tell(["It is idle."])
    await webhook.close()
    assert not webhook.trouble


async def test_an_address_that_refuses_is_told_of_without_its_secret(listen):
    address, _ = listen(403)
    webhook = Webhook(address)
    webhook.tell(["It is idle."])
    await wait_for(lambda: webhook.trouble)
    assert "403" in webhook.trouble
    assert "secret" not in webhook.trouble
    await webhook.close()


async def test_an_address_that_does_not_answer_holds_nothing_up():
    webhook = Webhook("http://127.0.0.1:1/secret")
    webhook.tell(["It is idle."] * 200)
    await wait_for(lambda: webhook.trouble)
    assert "secret" not in webhook.trouble
    await webhook.close()


async def test_an_address_in_the_clear_is_refused():
    with pytest.raises(TraitError, match="https"):
        GpuQuota(webhook="http://example.org/hook")
