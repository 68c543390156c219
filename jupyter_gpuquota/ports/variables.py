"""Variables of the kernels of sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class KernelVariables(Protocol):
    """Lets the kernels of sessions write named variables to files.

    `notebook` is the path or the name of one, empty for the only one that has a kernel.
    """

    async def write(
        self, session_id: str, names: Sequence[str], notebook: str, dump: str = ""
    ) -> Mapping[str, str]:
        """Write variables for the next kernel of their notebook, or to a file for a snapshot.

        `dump` is the name of that file. Returns by name why some could not be written. Raises
        NotFound, Unavailable, and WrongState if the session does not run, has no such kernel or
        several, or its kernel is busy.
        """

    async def forget(self, session_id: str, notebook: str) -> None:
        """Remove what is kept for the next kernel of a notebook; what is gone is fine.

        Raises NotFound, WrongState, Unavailable.
        """
