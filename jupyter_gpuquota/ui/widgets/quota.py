"""A table of quotas."""

from __future__ import annotations

from ..views.quota import QuotaView
from .live import LiveWidget


class QuotaWidget(LiveWidget):
    """Projects and their GPU use, or one project."""

    noun = "quota"

    def read(self) -> QuotaView:
        """Return the quota."""
        found = self._client.quota.get().document
        return QuotaView(found, project=self._project, warnings=self._client.about().warnings)
