"""How a session comes to rest for a snapshot: its pages save, its hook pauses it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from jupyter_gpuquota.control.snapshots.quiescence import Hook, SavingPages
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.model.ending import PageReport
from jupyter_gpuquota.model.programs import ExecRequest, ExecResult
from jupyter_gpuquota.ports.charge import NotInCharge
from tests.waiting import patience, wait_for

pytestmark = pytest.mark.asyncio

OPEN = PageReport(state="open")


class Programs:
    """Answers whatever is run."""

    def __init__(self, answer: ExecResult | Exception) -> None:
        self._answer = answer

    async def execute(self, _session: str, _request: ExecRequest) -> ExecResult:
        """Return the answer, or raise it."""
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[Any]:
        """Never called."""
        raise NotImplementedError


@pytest.mark.parametrize(
    ("answer", "paused", "said"),
    [
        (ExecResult(exit_code=0, output=""), True, ""),
        (ExecResult(exit_code=64, output=""), False, ""),
        (ExecResult(exit_code=3, output="busy\n"), True, "The hook ended with 3. busy"),
        (
            ExecResult(exit_code=-9, output="", timed_out=True),
            True,
            "The hook took longer than 30 seconds.",
        ),
        (Unavailable("It is gone."), True, "The hook could not be run: It is gone."),
    ],
)
async def test_a_hook_pauses_or_it_is_said_why_not(
    answer: ExecResult | Exception, *, paused: bool, said: str
) -> None:
    hook = Hook()
    assert await hook.pause("s1") == (False, "")
    hook.exec = Programs(answer)
    assert await hook.pause("s1") == (paused, said)
    assert await hook.resume("s1") == said


async def test_who_is_not_in_charge_runs_no_hook() -> None:
    hook = Hook()
    hook.exec = Programs(NotInCharge("Another controller is."))
    with pytest.raises(NotInCharge):
        await hook.pause("s1")


@pytest.mark.parametrize(
    ("unsaved", "said"), [(0, ""), (2, "2 open documents could not be saved.")]
)
async def test_open_pages_save_first(unsaved: int, said: str) -> None:
    changes: list[None] = []
    pages = SavingPages(patience(), lambda: changes.append(None))
    assert await pages.save("s1") == ""
    for page in ("a", "b", "gone"):
        pages.put("s1", page, OPEN)
    pages.put("other", "c", OPEN)
    saving = asyncio.create_task(pages.save("s1"))
    await wait_for(lambda: "s1" in pages.saving())
    assert (len(changes), set(pages.saving())) == (1, {"s1"})
    pages.put("s1", "gone", PageReport(state="closed"))
    pages.put("s1", "a", PageReport(state="saved"))
    assert not saving.done()
    pages.put("s1", "b", PageReport(state="saved", unsaved=unsaved))
    assert await saving == said
    assert (len(changes), set(pages.saving())) == (2, set())


async def test_a_page_that_does_not_answer_is_told() -> None:
    pages = SavingPages(0.01, lambda: None)
    pages.put("s1", "a", OPEN)
    assert "did not answer" in await pages.save("s1")
    assert "s1" not in pages.saving()
