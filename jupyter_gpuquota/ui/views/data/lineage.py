"""The lineage of a dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ....model.datasets.lineage import Lineage, Origin, Relation
from ..markup import Markup, join, printable, tag
from ..view import Row, View

_WORDS: dict[tuple[Relation, bool], str] = {
    ("produced", False): "made by",
    ("follows", False): "follows",
    ("used", True): "used by",
}
"""What is said of a version, by the relation and whether it leads away from the version."""


class LineageView(View[Lineage]):
    """What has made the versions of a dataset, and what has used them."""

    @property
    def text(self) -> str:
        """Return a line for each version, and below it a line for each relation."""
        lines = []
        for version, relations in self._versions():
            lines.append(version)
            lines += [f"  {each}" for each in relations]
        return "\n".join(map(printable, lines)) or "No versions yet."

    @property
    def body(self) -> Markup:
        """Return the same as lists."""
        parts = [
            join(tag("p", tag("b", version)), tag("ul", *(tag("li", each) for each in relations)))
            for version, relations in self._versions()
        ]
        return join(*parts) if parts else tag("p", "No versions yet.")

    @property
    def records(self) -> list[Row]:
        """Return a row for each relation."""
        labels = {node.id: _label(node) for node in self.data.nodes}
        return [
            {
                "source": labels[link.source],
                "relation": link.relation,
                "target": labels[link.target],
            }
            for link in self.data.links
        ]

    def _versions(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each version with what is related to it."""
        labels = {node.id: _label(node) for node in self.data.nodes}
        around: dict[str, list[str]] = defaultdict(list)
        for link in self.data.links:
            for here, there, away in (
                (link.source, link.target, True),
                (link.target, link.source, False),
            ):
                if words := _WORDS.get((link.relation, away)):
                    around[here].append(f"{words} {labels[there]}")
        for node in self.data.nodes:
            if node.kind == "version":
                yield _label(node), around[node.id]


def _label(node: Origin) -> str:
    """Return a node in words: `session train1 (ana, team-a)`."""
    kind = "" if node.kind == "version" or node.id.startswith("project:") else f"{node.kind} "
    detail = f" ({node.detail})" if node.detail and node.kind == "session" else ""
    said = f": {node.detail}" if node.detail and node.kind == "version" else ""
    return f"{kind}{node.label}{detail}{said}"
