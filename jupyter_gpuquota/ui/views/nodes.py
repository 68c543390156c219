"""Nodes and their GPUs."""

from __future__ import annotations

from ...client.nodes import GPUS, gpus
from ...model.nodes import DeviceUse, Nodes, NodeUse, SliceUse
from ...model.resources import device_text, gpus_text, memory_text
from .markup import Markup, bar, join, tag
from .view import Column, Row, View, html_table, text_table

Place = tuple[NodeUse, DeviceUse]


class NodesView(View[Nodes]):
    """All GPUs with the sessions on them."""

    @property
    def text(self) -> str:
        """Return a row for each GPU."""
        places = self._places()
        return text_table(_COLUMNS, places) if places else self._none()

    @property
    def body(self) -> Markup:
        """Return the same with bars."""
        places = self._places()
        if not places:
            return tag("p", self._none())
        return join(html_table([*_COLUMNS, Column("USED", _used, _bar)], places, "GPUs"))

    @property
    def records(self) -> list[Row]:
        """Return a row for each GPU; memory in MiB."""
        return GPUS.rows(self._places())

    def _places(self) -> list[Place]:
        return gpus(self.data)

    def _none(self) -> str:
        names = ", ".join(node.name for node in self.data.nodes)
        return f"No GPUs found{f' on {names}' if names else ''}."


def _model(place: Place) -> str:
    device = place[1].device
    marks = [mark for mark, on in (("simulated", device.simulated), ("lost", device.lost)) if on]
    return f"{device.model} ({', '.join(marks)})" if marks else device.model


def _slice(piece: SliceUse) -> str:
    over = " (over its share)" if piece.over else ""
    return f"{piece.project}/{piece.name} {gpus_text(piece.milli)}{over}"


def _measured(value: int | None, unit: str) -> str:
    return f"{value} {unit}" if value is not None else ""


def _used(place: Place) -> str:
    return f"{(1000 - place[1].free) // 10} % in use"


def _bar(place: Place) -> Markup:
    return bar(_used(place), 1000 - place[1].free, 1000)


_COLUMNS: list[Column[Place]] = [
    Column("NODE", lambda p: p[0].name, whole=True),
    Column("GPU", lambda p: device_text(p[1].device)),
    Column("MODEL", _model, whole=True),
    Column("MEMORY", lambda p: memory_text(p[1].device.memory)),
    Column("FREE", lambda p: gpus_text(p[1].free)),
    Column("UTILISATION", lambda p: _measured(p[1].utilisation, "%")),
    Column("MEMORY USED", lambda p: _measured(p[1].memory_used, "MiB")),
    Column("SESSIONS", lambda p: ", ".join(map(_slice, p[1].slices))),
]
