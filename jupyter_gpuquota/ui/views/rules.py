"""Scheduling rules and node groups."""

from __future__ import annotations

from ...client.nodegroups import NODE_GROUPS
from ...model.projects import Groups, NodeGroup
from ...model.quota import Rules
from .markup import Markup, tag
from .view import Column, Row, View, html_table, pairs_html, pairs_text, text_table


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


class GroupsView(View[Groups]):
    """Node groups."""

    @property
    def text(self) -> str:
        """Return a table."""
        if not self.data.items:
            return "No node groups."
        return text_table(_COLUMNS, self.data.items)

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        if not self.data.items:
            return tag("p", self.text)
        return html_table(_COLUMNS, self.data.items, "Node groups")

    @property
    def records(self) -> list[Row]:
        """Return a row for each group."""
        return NODE_GROUPS.rows(self.data.items)


_COLUMNS: tuple[Column[NodeGroup], ...] = (
    Column("GROUP", lambda group: group.name, whole=True),
    Column("NODES", lambda group: ", ".join(group.nodes)),
    Column("SEPARATE", lambda group: "yes" if group.separate else ""),
)
