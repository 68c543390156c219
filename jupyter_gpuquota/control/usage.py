"""Who holds how much, summed up from the board."""

from __future__ import annotations

from ..core.quota import sum_up
from ..model.quota import Quota
from ..model.resources import Holding
from .board import Board


class BoardUsage:
    """What the sessions on the board, and workloads beside them, hold."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def quota(self) -> Quota:
        """Return what every project has, holds and waits for."""
        board = self._board
        return sum_up(
            board.settings.projects,
            board.sessions,
            board.nodes,
            board.holdings,
            board.revision("quota"),
        )

    def holdings(self) -> tuple[Holding, ...]:
        """Return what workloads hold that are not sessions of ours."""
        return self._board.holdings
