"""Environments that sessions can start from."""

from __future__ import annotations

from ...client.environments import ENVIRONMENTS
from ...model.environments import Environment, Environments
from .markup import Markup
from .view import Column, Row, View, html_table, text_table


class EnvironmentsView(View[Environments]):
    """Environments, with the problems of those that cannot run Jupyter."""

    @property
    def text(self) -> str:
        """Return a table."""
        return text_table(_COLUMNS, self.data.environments)

    @property
    def body(self) -> Markup:
        """Return the same table."""
        return html_table(_COLUMNS, self.data.environments, "Environments")

    @property
    def records(self) -> list[Row]:
        """Return a row for each environment."""
        return ENVIRONMENTS.rows(self.data.environments)


def origin(prefix: str, image: str) -> str:
    """Return the source of an environment: `image ghcr.io/team/torch:2`, or a prefix."""
    return f"image {image}" if image else prefix


_COLUMNS: list[Column[Environment]] = [
    Column("ENVIRONMENT", lambda e: f"{e.id} (default)" if e.default else e.id),
    Column("LABEL", lambda e: e.label),
    Column("PYTHON", lambda e: e.python),
    Column("SOURCE", lambda e: origin(e.prefix, e.image)),
    Column("PROBLEM", lambda e: e.problem),
]
