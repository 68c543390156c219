"""What is there only once the resident has connected."""

from __future__ import annotations

from typing import Any

from ...errors import Unavailable


class Late:
    """Stands for an object that is found by connecting; until then its use raises Unavailable.

    A backend is a record of its capabilities, which exists before its connection.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._found: Any = None

    def found(self, found: Any) -> None:
        """Stand for an object from now on."""
        self._found = found

    def __bool__(self) -> bool:
        """Return whether the object was found."""
        return self._found is not None

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the object. Raises Unavailable."""
        if self._found is None:
            raise Unavailable(f"{self._what} is not connected.", hint="Try again in a moment.")
        return getattr(self._found, name)
