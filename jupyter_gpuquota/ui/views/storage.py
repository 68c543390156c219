"""How much storage projects use."""

from __future__ import annotations

from ...client.quota import STORAGE
from ...model.volumes.storage import StorageList, StorageUse
from .data.formats import size_text
from .markup import Markup, join, printable, tag
from .view import Column, Row, View, html_table, text_table

_NONE = "Nothing is stored in your projects."


class StorageView(View[StorageList]):
    """Storage by project and kind, and by owner where rows have one."""

    @property
    def text(self) -> str:
        """Return a table, then problems."""
        items = self.data.items
        table = text_table(self._columns(), items) if items else _NONE
        return "\n".join([table, *map(printable, self.data.problems)])

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        items = self.data.items
        table = html_table(self._columns(), items, "Storage") if items else tag("p", _NONE)
        problems = (tag("p", line, class_="gpuquota-bad") for line in self.data.problems)
        return join(table, *problems)

    @property
    def records(self) -> list[Row]:
        """Return a row for each project and kind; sizes in bytes."""
        return STORAGE.rows(self.data.items)

    def _columns(self) -> list[Column[StorageUse]]:
        owners = any(each.owner for each in self.data.items)
        return [
            Column("PROJECT", lambda each: each.project, whole=True),
            Column("KIND", lambda each: each.kind),
            *([Column[StorageUse]("OWNER", lambda each: each.owner)] if owners else []),
            Column("ITEMS", lambda each: f"{each.items:,}"),
            Column("SIZE", lambda each: size_text(each.size) if each.size else ""),
            Column("STORED", _stored),
        ]


def _stored(use: StorageUse) -> str:
    """Return what is stored; of some volumes it may not be known."""
    if use.unknown == use.items:
        return "unknown"
    text = size_text(use.stored)
    return f"{text} ({use.unknown} unknown)" if use.unknown else text
