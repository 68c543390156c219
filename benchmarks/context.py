"""The context passed to every section."""

from __future__ import annotations

from dataclasses import dataclass

from .systems.environment import Environment


@dataclass(frozen=True)
class Context:
    """The environment, whether a quick or a full run is wanted, and `tools` to measure alone."""

    environment: Environment
    quick: bool
    full: bool = False
    tools: tuple[str, ...] = ()

    def rounds(self, full: int, quick: int) -> int:
        """Return the number of rounds."""
        return quick if self.quick else full
