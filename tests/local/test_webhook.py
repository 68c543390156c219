"""Messages about idle sessions are posted to a webhook."""

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
    """Stores posted messages, and responds as the test sets."""

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
    [warned] = [step.message for step in session.progress if "maximum run time" in step.message]
    assert posted == [whose + warned, whose + session.reason.message]
    assert "maximum run time of everyone's policy" in session.reason.message


async def test_a_message_is_posted_as_slack_wants_it(listen):
    address, posted = listen()
    webhook = Webhook(address)
    webhook.post(["It is idle."])
    await wait_for(lambda: posted)
    assert posted == ["It is idle."]
    await webhook.close()
    assert not webhook.trouble


async def test_without_an_address_nothing_is_done():
    webhook = Webhook("")
    webhook.post(["It is idle."])
    await webhook.close()
    assert not webhook.trouble


async def test_an_address_that_refuses_is_told_of_without_its_secret(listen):
    address, _ = listen(403)
    webhook = Webhook(address)
    webhook.post(["It is idle."])
    await wait_for(lambda: webhook.trouble)
    assert "403" in webhook.trouble
    assert "secret" not in webhook.trouble
    await webhook.close()


async def test_an_address_that_does_not_answer_holds_nothing_up():
    webhook = Webhook("http://127.0.0.1:1/secret")
    webhook.post(["It is idle."] * 200)
    await wait_for(lambda: webhook.trouble)
    assert "secret" not in webhook.trouble
    await webhook.close()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://example.org/hook", "https"),
        ("ftp://example.org/hook", "https"),
        ("http://127.0.0.1:80@other.example/hook", "contains a user name"),
        ("https://me:secret@example.org/hook", "contains a user name"),
        ("https://[::x/hook", "not a URL"),
        ("https://example.org:port/hook", "not a URL"),
        ("https:///hook", "no host"),
        ("hook", "no host"),
        ("https://exam ple.org/hook", "invalid in a URL"),
        ("https://example.org/hook\n", "invalid in a URL"),
    ],
)
async def test_an_address_that_cannot_be_used_is_refused_with_the_reason(address, reason):
    with pytest.raises(TraitError, match=reason) as caught:
        GpuQuota(webhook=address)
    assert "hook" not in str(caught.value).removeprefix("webhook")


@pytest.mark.parametrize(
    "address",
    ["HTTPS://example.org/hook", "https://[2001:db8::1]:8443/hook", "http://[::1]:80/", ""],
)
async def test_any_address_that_is_encrypted_or_local_is_taken(address):
    assert GpuQuota(webhook=address).webhook == address
