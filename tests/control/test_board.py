"""What the board publishes, and to whom."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.settings.settings import Settings
from jupyter_gpuquota.model.policy import Policy
from tests.builders import NOW, make_project, make_session
from tests.waiting import patience, wait_for


@pytest.mark.asyncio
async def test_who_waits_for_changes_is_woken_by_another_thread() -> None:
    board = Board()
    before = await board.changed("", 0)
    waiting = asyncio.create_task(board.changed(before.latest, 2 * patience()))
    await wait_for(lambda: board.watched)
    await asyncio.to_thread(board.touch, "quota")
    async with asyncio.timeout(patience()):
        after = await waiting
    assert after.nouns["quota"] == after.latest != before.latest


def test_the_policy_of_a_session_is_that_of_its_project() -> None:
    projects = (make_project("team-a", interactive_duration=60), make_project("team-b"))
    settings = replace(Settings(), projects=projects, policy=Policy())
    levels = {
        name: settings.ruling(make_session(project=name), NOW).level("interactive_life")
        for name in ("team-a", "team-b", "gone")
    }
    assert levels == {"team-a": "project:team-a", "team-b": "built-in", "gone": "built-in"}
