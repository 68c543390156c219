"""What answers requests, and the metrics about it if they are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..api.dispatch import Dispatcher
from ..api.inprocess import InProcess
from ..ports.backend import Backend
from .https_mount import parse_address

if TYPE_CHECKING:
    from .metrics.mount import Metrics


class Scraping:
    """The metrics at an address; without one nothing of them is loaded."""

    def __init__(self, address: str) -> None:
        self._address = parse_address(address) if address else None
        self._metrics: Metrics | None = None

    def dispatcher(self, backend: Backend) -> Dispatcher:
        """Return what answers requests to a backend, and serve its metrics. Raises Unavailable."""
        answers = InProcess(backend)
        if self._address is None:
            return answers
        from .metrics.mount import Metrics  # noqa: PLC0415 (most controllers serve none)

        self._metrics = Metrics(self._address)
        return self._metrics.serve(backend, answers)

    def stop(self) -> None:
        """Stop serving metrics."""
        if self._metrics:
            self._metrics.stop()
