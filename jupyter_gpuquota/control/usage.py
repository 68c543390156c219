"""Sum up the GPUs in use from the board."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.usage.quota import sum_up
from ..model.quota import Quota
from ..model.resources import Holding
from .board import Board


class BoardUsage:
    """The GPUs held by the sessions on the board and by foreign workloads."""

    def __init__(self, board: Board, interval: int) -> None:
        self._board = board
        self.interval = interval
        """Seconds between two measurements of sessions' utilisation."""

    def quota(self) -> Quota:
        """Return what every project has, uses and requests."""
        board = self._board
        return sum_up(
            board.settings.projects,
            board.sessions,
            board.nodes,
            board.holdings,
            board.revision("quota"),
        )

    def holdings(self) -> tuple[Holding, ...]:
        """Return the GPUs held by workloads that are not our sessions."""
        return self._board.holdings

    def utilisation(self) -> Mapping[str, tuple[int, ...]]:
        """Map each session whose GPU utilisation is measured to its last values, in per cent."""
        return self._board.utilisation.by_session
