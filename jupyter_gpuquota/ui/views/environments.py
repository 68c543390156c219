"""Environments that sessions may start from."""

from __future__ import annotations

from ...model.environments import Environment, Environments
from .base import Column, Row, View, html_table, text_table
from .markup import Markup


class EnvironmentsView(View[Environments]):
    """Environments, and what is wrong with those that cannot run a Jupyter Server."""

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
        return [
            {
                "id": e.id,
                "label": e.label,
                "prefix": e.prefix,
                "python": e.python,
                "image": e.image,
                "default": e.default,
                "problem": e.problem,
            }
            for e in self.data.environments
        ]


def origin(prefix: str, image: str) -> str:
    """Return what an environment is made of: `image ghcr.io/team/torch:2`, or a prefix."""
    return f"image {image}" if image else prefix


_COLUMNS: list[Column[Environment]] = [
    Column("ENVIRONMENT", lambda e: f"{e.id} (default)" if e.default else e.id),
    Column("LABEL", lambda e: e.label),
    Column("PYTHON", lambda e: e.python),
    Column("FROM", lambda e: origin(e.prefix, e.image)),
    Column("PROBLEM", lambda e: e.problem),
]
