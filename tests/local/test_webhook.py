"""Whoever is away hears of it by a webhook."""

from __future__ import annotations

import json

import pytest
import pytest_asyncio
from tornado import httpserver, testing, web
from traitlets import TraitError

from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.local.webhook import Webhook
from tests.local.conftest import wait_for

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
        LocalConfig(webhook="http://example.org/hook")
