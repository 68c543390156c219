"""Licences and their free seats."""

from __future__ import annotations

from ...client.licences import LICENCES
from ...model.licences import Licence, Licences
from .markup import Markup
from .view import Column, Row, View, html_table, text_table


class LicencesView(View[Licences]):
    """Licences, and how many seats are free."""

    @property
    def text(self) -> str:
        """Return a table."""
        return text_table(_COLUMNS, self.data.licences)

    @property
    def body(self) -> Markup:
        """Return the same table."""
        return html_table(_COLUMNS, self.data.licences, "Licences")

    @property
    def records(self) -> list[Row]:
        """Return a row for each licence."""
        return LICENCES.rows(self.data.licences)


_COLUMNS: list[Column[Licence]] = [
    Column("LICENCE", lambda licence: licence.name),
    Column("TOTAL", lambda licence: str(licence.total)),
    Column("FREE", lambda licence: str(licence.free)),
]
