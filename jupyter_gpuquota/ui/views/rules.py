"""Scheduling rules and node groups."""

from __future__ import annotations

from ...client.nodegroups import NODE_GROUPS
from ...model.projects import Groups, NodeGroup
from ...model.quota import Rules
from .markup import Markup
from .view import Column, Row, TableView, View, pairs_html, pairs_text


class RulesView(View[Rules]):
    """The scheduling rules of all projects."""

    @property
    def text(self) -> str:
        """Return a line for each rule."""
        return pairs_text(self._pairs)

    @property
    def body(self) -> Markup:
        """Return the same as a table."""
        return pairs_html(self._pairs, "Rules")

    @property
    def records(self) -> list[Row]:
        """Return the rules as one row; times are seconds."""
        rules = self.data
        return [
            {
                "grace": rules.grace,
                "min_runtime": rules.min_runtime,
                "consolidate": rules.consolidate,
            }
        ]

    @property
    def _pairs(self) -> list[tuple[str, str]]:
        rules = self.data
        return [
            ("time to save", f"{rules.grace} s"),
            ("protected for", f"{rules.min_runtime} s"),
            ("consolidate", "on" if rules.consolidate else "off"),
        ]


class GroupsView(TableView[Groups, NodeGroup]):
    """Node groups."""

    def __init__(self, data: Groups) -> None:
        super().__init__(data, data.items, NODE_GROUPS, _COLUMNS, "Node groups")


_COLUMNS: tuple[Column[NodeGroup], ...] = (
    Column("GROUP", lambda group: group.name, whole=True),
    Column("NODES", lambda group: ", ".join(group.nodes)),
    Column("SEPARATE", lambda group: "yes" if group.separate else ""),
)
