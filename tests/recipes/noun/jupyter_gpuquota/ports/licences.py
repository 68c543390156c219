"""Where licences come from."""

from __future__ import annotations

from typing import Protocol

from ..model.licences import Licence


class Licensing(Protocol):
    """The licences that sessions may use."""

    def licences(self) -> tuple[Licence, ...]:
        """Return all licences, by name."""
