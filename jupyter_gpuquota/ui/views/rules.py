"""What holds for all projects, and the node groups."""

from __future__ import annotations

from ...model.projects import Groups, NodeGroup
from ...model.quota import Rules
from .base import Column, Row, View, html_table, pairs_html, pairs_text, text_table
from .markup import Markup, tag


class RulesView(View[Rules]):
    """Show what holds for all projects."""

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
        """Return the rules as the one row; times are seconds."""
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
            ("grace", f"{rules.grace} s to save one's work when GPUs are taken back"),
            ("min runtime", f"{rules.min_runtime} s before GPUs may be taken back"),
            ("consolidate", "sessions may be moved" if rules.consolidate else "nobody is moved"),
        ]


class GroupsView(View[Groups]):
    """Show the node groups."""

    @property
    def text(self) -> str:
        """Return a table."""
        if not self.data.items:
            return "There are no node groups."
        return text_table(_COLUMNS, self.data.items)

    @property
    def body(self) -> Markup:
        """Return a table, or that there are none."""
        if not self.data.items:
            return tag("p", self.text)
        return html_table(_COLUMNS, self.data.items, "Node groups")

    @property
    def records(self) -> list[Row]:
        """Return a row for each group."""
        return [
            {"group": group.name, "nodes": list(group.nodes), "separate": group.separate}
            for group in self.data.items
        ]


_COLUMNS: tuple[Column[NodeGroup], ...] = (
    Column("GROUP", lambda group: group.name, whole=True),
    Column("NODES", lambda group: ", ".join(group.nodes)),
    Column("SEPARATE", lambda group: "yes" if group.separate else ""),
)
