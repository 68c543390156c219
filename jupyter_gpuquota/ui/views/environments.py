"""Environments that sessions can start from."""

from __future__ import annotations

from ...client.environments import ENVIRONMENTS
from ...model.environments import Environment, Environments
from .view import Column, TableView


class EnvironmentsView(TableView[Environments, Environment]):
    """Environments, with the problems of those that cannot run Jupyter."""

    def __init__(self, data: Environments) -> None:
        super().__init__(data, data.environments, ENVIRONMENTS, _COLUMNS, "Environments")


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
