"""The hook of a session: a program in its folder that pauses writing, and resumes it.

`.gpuquota/hooks/snapshot pause` is run before a snapshot, `… resume` after it, however that ends.
"""

from __future__ import annotations

from ...errors import GpuQuotaError
from ...model.programs import ExecRequest
from ...ports.charge import NotInCharge
from ...ports.sessions import Exec

HOOK = ".gpuquota/hooks/snapshot"
PATIENCE = 30
"""Seconds that a hook may take."""
_NONE = 64
"""The exit code where there is no hook."""
_SAID = 300


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
        request = ExecRequest(command=("/bin/sh", "-c", script), timeout=PATIENCE)
        try:
            result = await self.exec.execute(session, request)
        except NotInCharge:
            raise
        except GpuQuotaError as error:
            # It may run all the same: where the connection broke, nobody knows.
            return True, f"The hook could not be run: {error.message}"
        if result.timed_out:
            return True, f"The hook took longer than {PATIENCE} seconds."
        if result.exit_code == _NONE:
            return False, ""
        if result.exit_code:
            said = result.output.strip()[-_SAID:]
            return True, f"The hook ended with {result.exit_code}. {said}".strip()
        return True, ""
