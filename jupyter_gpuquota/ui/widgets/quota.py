"""A widget of quota."""

from __future__ import annotations

from ..views.quota import QuotaView
from .live import LiveWidget


class QuotaWidget(LiveWidget):
    """Show projects and what they use; only one of them with `project`."""

    noun = "quota"

    def read(self) -> QuotaView:
        """Read the quota."""
        return QuotaView(self._client.quota.get(), project=self._project)
