"""A table of quotas."""

from __future__ import annotations

from ..views.quota import QuotaView
from .live import LiveWidget


class QuotaWidget(LiveWidget):
    """Projects and their GPU use, or one project."""

    noun = "quota"

    def read(self) -> QuotaView:
        """Return the quota."""
        return QuotaView(self._client.quota.get().document, project=self._project)
