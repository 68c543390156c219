"""How a session rests while its snapshot is made: open pages save, and its hook pauses it.

The hook is a program in its folder, `.gpuquota/hooks/snapshot`: `pause` is run before a snapshot,
`resume` after it, however that ends.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from ...errors import GpuQuotaError
from ...model.ending import PageReport
from ...model.programs import ExecRequest
from ...ports.charge import NotInCharge
from ...ports.sessions import Exec
from ..ending.open_pages import ROUND

_SILENT = 2 * ROUND
HOOK = ".gpuquota/hooks/snapshot"
HOOK_PATIENCE = 30
"""Seconds that a hook may take."""
_NONE = 64
"""The exit code where there is no hook."""
_SAID = 300


class SavingPages:
    """The open pages of sessions, by their own reports. `changed` lets pages look again."""

    def __init__(self, patience: float, changed: Callable[[], None]) -> None:
        self._patience = patience
        self._changed = changed
        self._pages: dict[str, dict[str, tuple[PageReport, float]]] = {}
        self._by: dict[str, datetime] = {}
        self._answered: dict[str, asyncio.Event] = {}

    def saving(self) -> Mapping[str, datetime]:
        """Return until when the pages of which sessions shall save."""
        return dict(self._by)

    def put(self, session: str, page: str, report: PageReport) -> None:
        """Note a report."""
        pages = self._pages.setdefault(session, {})
        if report.state == "closed":
            pages.pop(page, None)
        else:
            pages[page] = (report, time.monotonic())
        if session in self._answered and not self._waiting(session):
            self._answered[session].set()

    async def save(self, session: str) -> str:
        """Let all open pages save; return what could not be saved, empty if nothing."""
        if not self._open(session):
            return ""
        for page, (_, at) in self._open(session).items():
            self._pages[session][page] = (PageReport(state="open"), at)
        answered = self._answered[session] = asyncio.Event()
        self._by[session] = datetime.now(UTC) + timedelta(seconds=self._patience)
        self._changed()
        try:
            async with asyncio.timeout(self._patience):
                await answered.wait()
        except TimeoutError:
            return "An open page did not answer: its documents may not be saved."
        finally:
            del self._by[session], self._answered[session]
            self._changed()
        unsaved = sum(report.unsaved for report, _ in self._open(session).values())
        return f"{unsaved} open documents could not be saved." if unsaved else ""

    def keep_only(self, sessions: set[str]) -> None:
        """Forget the pages of all other sessions."""
        self._pages = {key: pages for key, pages in self._pages.items() if key in sessions}

    def _open(self, session: str) -> dict[str, tuple[PageReport, float]]:
        now = time.monotonic()
        pages = self._pages.get(session, {})
        return {page: each for page, each in pages.items() if now - each[1] <= _SILENT}

    def _waiting(self, session: str) -> bool:
        return any(report.state == "open" for report, _ in self._open(session).values())


class Hook:
    """Runs hooks of sessions; without `exec` there are none."""

    def __init__(self) -> None:
        self.exec: Exec | None = None

    async def pause(self, session: str) -> tuple[bool, str]:
        """Return whether a hook may have paused a session, and what went wrong, empty if nothing.

        Raises NotInCharge.
        """
        return await self._run(session, "pause")

    async def resume(self, session: str) -> str:
        """Let a session go on; return what went wrong, empty if nothing. Raises NotInCharge."""
        return (await self._run(session, "resume"))[1]

    async def _run(self, session: str, word: str) -> tuple[bool, str]:
        if self.exec is None:
            return False, ""
        script = f"[ -x {HOOK} ] || exit {_NONE}; exec {HOOK} {word}"
        request = ExecRequest(command=("/bin/sh", "-c", script), timeout=HOOK_PATIENCE)
        try:
            result = await self.exec.execute(session, request)
        except NotInCharge:
            raise
        except GpuQuotaError as error:
            # It may run all the same: where the connection broke, nobody knows.
            return True, f"The hook could not be run: {error.message}"
        if result.timed_out:
            return True, f"The hook took longer than {HOOK_PATIENCE} seconds."
        if result.exit_code == _NONE:
            return False, ""
        if result.exit_code:
            said = result.output.strip()[-_SAID:]
            return True, f"The hook ended with {result.exit_code}. {said}".strip()
        return True, ""
