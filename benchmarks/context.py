"""What every section is given."""

from __future__ import annotations

from dataclasses import dataclass

from .environment import Environment


@dataclass(frozen=True)
class Context:
    """Carry the environment, and whether a quick look is enough."""

    environment: Environment
    quick: bool

    def rounds(self, full: int, quick: int) -> int:
        """Choose how often to measure."""
        return quick if self.quick else full
