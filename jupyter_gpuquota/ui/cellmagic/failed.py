"""The exception of a cell that failed in a session."""

from __future__ import annotations

from ...kernels.cells.port import Failure


class CellFailed(Exception):
    """A cell raised an exception in a session; its class there is `name`."""

    name = ""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure

    def _render_traceback_(self) -> list[str]:
        """Return the traceback there; IPython asks for it by this name."""
        found = self.failure
        return list(found.traceback) or [f"{found.name}: {found.message}"]


def failed(failure: Failure) -> CellFailed:
    """Return the exception, whose class has the name that it has there: notebooks store it."""
    name = failure.name if failure.name.isidentifier() else "CellFailed"
    made: CellFailed = type(name, (CellFailed,), {"name": name})(failure)
    return made
