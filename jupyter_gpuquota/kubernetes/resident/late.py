"""What is there only once the resident has connected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import Unavailable
from ...ports.charge import NotInCharge


class Late:
    """Stands for an object that is found by connecting; until then its use raises Unavailable.

    A backend is a record of its capabilities, which exists before its connection.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._found: Any = None
        self._why_not: Callable[[], str] = str

    def found(self, found: Any, why_not: Callable[[], str] = str) -> None:
        """Stand for an object from now on, but while `why_not` returns a reason, as before."""
        self._found = found
        self._why_not = why_not

    def __bool__(self) -> bool:
        """Return whether the object was found."""
        return self._found is not None

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the object. Raises Unavailable, NotInCharge."""
        if self._found is None:
            raise Unavailable(f"{self._what} is not connected.", hint="Try again in a moment.")
        if why := self._why_not():
            raise NotInCharge(why, hint="Try again in a moment.")
        return getattr(self._found, name)
