"""Volumes."""

from __future__ import annotations

from collections.abc import Iterator

from ...client.listing import cell_text
from ...client.volumes import VOLUMES
from ...model.volumes.mounts import VolumeUse
from ...model.volumes.volumes import Volume, VolumeList
from ..hints import in_notebook
from .data.formats import size_text
from .markup import Markup, join, printable, tag
from .view import Column, Row, View, html_table, pairs_html, pairs_text, text_table

_NONE = "No volumes. Create one: jupyter gpu volume create NAME."


class VolumesView(View[VolumeList]):
    """Volumes, and what is not known of them."""

    @property
    def text(self) -> str:
        """Return a table, then problems."""
        items = self.data.items
        table = text_table(_COLUMNS, items) if items else _NONE
        return "\n".join([table, *map(printable, (*self._classes(), *self.data.problems))])

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        items = self.data.items
        table = html_table(_COLUMNS, items, "Volumes") if items else tag("p", in_notebook(_NONE))
        classes = (tag("p", line) for line in self._classes())
        problems = (tag("p", line, class_="gpuquota-bad") for line in self.data.problems)
        return join(table, *classes, *problems)

    @property
    def records(self) -> list[Row]:
        """Return a row for each volume; sizes in bytes."""
        return VOLUMES.rows(self.data.items)

    def _classes(self) -> Iterator[str]:
        """Yield of what new volumes can be made, where one can choose."""
        if len(self.data.classes) > 1:
            names = (f"{c.name} (default)" if c.default else c.name for c in self.data.classes)
            yield f"Storage classes: {', '.join(names)}."


class VolumeView(View[Volume]):
    """One volume; `note` says what has just happened to it."""

    def __init__(self, data: Volume, *, note: str = "") -> None:
        super().__init__(data)
        self._note = note

    @property
    def text(self) -> str:
        """Return what has happened, or else the details, one a line."""
        return self._note or pairs_text(self._pairs())

    @property
    def body(self) -> Markup:
        """Return the same as a table."""
        table = pairs_html(self._pairs(), "Volume")
        return join(tag("p", self._note), table) if self._note else table

    @property
    def records(self) -> list[Row]:
        """Return one row."""
        return VOLUMES.rows([self.data])

    def _pairs(self) -> list[tuple[str, str]]:
        data = self.data
        return [
            ("volume", data.name),
            ("description", data.description),
            ("project", data.project),
            ("owner", data.owner or "administrators"),
            ("state", data.state),
            ("reason", f"{data.reason.message} {data.reason.hint}" if data.reason else ""),
            ("folder", data.folder),
            ("files", "kept when the volume is deleted" if data.registered else ""),
            ("storage class", data.storage_class),
            ("level", data.level),
            ("size", _size(data)),
            ("used", "" if data.used is None else size_text(data.used)),
            ("access", _modes(data)),
            ("nodes", ", ".join(data.nodes)),
            ("zones", ", ".join(data.zones)),
            ("mounted by", ", ".join(map(_use, data.uses))),
            ("cloned from", data.source),
            ("created", cell_text(data.created) if data.created else ""),
        ]


def _size(data: Volume) -> str:
    """Return the limit of a volume, and whether anything keeps it."""
    if not data.size:
        return "no limit"
    kept = "enforced by the file system" if data.enforced else "not enforced"
    return f"{size_text(data.size)}, {kept}" if data.kind == "folder" else size_text(data.size)


def _use(use: VolumeUse) -> str:
    """Return who mounts a volume, where and how."""
    who = f"{use.name} ({use.owner})" if use.owner else use.name
    place = f" at {use.path}" if use.path else ""
    end = ", read-only" if use.read_only else ""
    state = f", {use.state}" if use.state not in {"", "running"} else ""
    return f"{who}{place}{end}{state}"


def _modes(data: Volume) -> str:
    return "read-only" if data.read_only else ", ".join(data.modes)


def _state(data: Volume) -> str:
    return f"{data.state}: {data.reason.message}" if data.reason else data.state


_COLUMNS: list[Column[Volume]] = [
    Column("NAME", lambda each: each.name, whole=True),
    Column("PROJECT", lambda each: each.project, whole=True),
    Column("OWNER", lambda each: each.owner),
    Column("SIZE", lambda each: size_text(each.size) if each.size else ""),
    Column("USED", lambda each: "" if each.used is None else size_text(each.used)),
    Column("ACCESS", _modes),
    Column("CLASS", lambda each: each.storage_class),
    Column("STATE", _state),
    Column("TIED TO", lambda each: ", ".join((*each.nodes, *each.zones))),
    Column("MOUNTED BY", lambda each: ", ".join(map(_use, each.uses))),
]
