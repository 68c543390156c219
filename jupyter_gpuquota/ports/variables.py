"""Variables of the kernels of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..model.rightsizing import KeepRequest, NotebookVariables


class KernelVariables(Protocol):
    """Asks the kernels of sessions for their variables.

    Every method raises NotFound, WrongState if the session is not running, and Unavailable.
    """

    async def of(self, session_id: str) -> tuple[NotebookVariables, ...]:
        """Return the variables of each notebook that has a kernel."""

    async def keep(self, session_id: str, wanted: Sequence[KeepRequest]) -> None:
        """Write variables to the session's folder, for the next kernels of their notebooks.

        Raises InvalidFields, and keeps nothing, unless all of them can be kept.
        """

    async def forget(self, session_id: str, wanted: Sequence[KeepRequest]) -> None:
        """Remove what `keep` has written; what is gone is fine."""
