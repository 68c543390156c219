"""On a full disk, operations that free space work, and those that need space fail cleanly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.local.conftest import Elsewhere, Start, marked, wait_for

pytestmark = pytest.mark.asyncio

SLEEP = {"command": ["sleep", "600"]}
ENDED = {"stop": "stopped", "suspend": "suspended"}
# What fills the disk, and goes on trying.
FILLS = "while :; do head -c 1m /dev/zero >> {}/filler; sleep 0.05; done 2>/dev/null"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    return tmp_path / "disk"


@pytest.fixture
def one(elsewhere: Start, own_disk: Any, disk: Path) -> Elsewhere:
    """A backend on a small disk of its own."""
    return elsewhere(prefix=own_disk("size=4m"), home=str(disk / "state"))


def running(one: Elsewhere, name: str, **spec: Any) -> str:
    session = one.ask("launch", name, spec or SLEEP)
    one.ask("until", session["id"], "running")
    return session["id"]


def states(one: Elsewhere) -> dict[str, str]:
    return {session["id"]: session["state"] for session in one.ask("sessions")}


@pytest.mark.parametrize("verb", ["stop", "suspend"])
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_session_is_ended_and_stays_so(one, disk, verb, restarted):
    session = running(one, "exp-1")
    other = running(one, "exp-2")
    one.ask("fill", str(disk / "filler"))
    assert one.ask("launch", "exp-3", SLEEP)["error"] == "StorageFailed"
    assert one.ask("end", verb, session)["state"] == "stopping"
    if restarted:  # before anything could be written, and twice
        for _ in range(2):
            one.ask("leave")
            assert one.ask("again") is None
    assert one.ask("until", session, ENDED[verb])["reason"]["code"].endswith("Requested")
    assert not marked(session)
    if restarted:
        one.ask("leave")
        one.ask("again")
        assert states(one) == {session: ENDED[verb], other: "running"}
    one.ask("free", str(disk / "filler"))
    await wait_for(lambda: not one.ask("warnings"))
    one.ask("leave")
    one.ask("again")
    assert states(one) == {session: ENDED[verb], other: "running"}
    one.ask("end", "stop", other)
    one.ask("until", other, "stopped")
    one.ask("close")


async def test_the_session_that_fills_the_disk_is_stopped(one, disk):
    session = running(one, "fills", command=["sh", "-c", FILLS.format(disk)])
    await wait_for(lambda: not one.ask("room", str(disk)))
    assert one.ask("launch", "exp-2", SLEEP)["error"] == "StorageFailed"
    one.ask("end", "stop", session)
    one.ask("until", session, "stopped")
    assert not marked(session)
    one.ask("free", str(disk / "filler"))
    await wait_for(lambda: not one.ask("warnings"))
    one.ask("close")


async def test_a_session_that_is_deleted_makes_room(one, disk):
    spec = {"command": ["sh", "-c", "head -c 1500k /dev/zero | tr '\\0' x"]}
    session = one.ask("launch", "talks", spec)
    one.ask("until", session["id"], "done")
    one.ask("fill", str(disk / "filler"))
    assert one.ask("launch", "exp-2", {"command": ["true"]})["error"] == "StorageFailed"
    one.ask("end", "delete", session["id"])
    assert one.ask("sessions") == []
    after = one.ask("launch", "exp-2", {"command": ["true"]})
    one.ask("until", after["id"], "done")
    one.ask("leave")
    one.ask("again")
    assert list(states(one)) == [after["id"]]
    one.ask("close")


async def test_settings_that_cannot_be_kept_are_refused(one, disk):
    before = one.ask("projects")
    one.ask("fill", str(disk / "filler"))
    refused = one.ask("put_project", "x" * 60, ["member"] * 2_000)
    assert refused["error"] == "StorageFailed"
    assert one.ask("projects") == before
    one.ask("free", str(disk / "filler"))
    one.ask("put_project", "team-x", [])
    await wait_for(lambda: not one.ask("warnings"))
    one.ask("leave")
    one.ask("again")
    assert [p["name"] for p in one.ask("projects")] == [*(p["name"] for p in before), "team-x"]
    one.ask("close")
