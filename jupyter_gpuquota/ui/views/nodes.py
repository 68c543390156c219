"""Nodes and their GPUs."""

from __future__ import annotations

from ...model.nodes import DeviceUse, Nodes, NodeUse, SliceUse
from ...model.resources import device_text, gpus_text, memory_text
from .base import Column, Row, View, html_table, text_table
from .markup import Markup, bar, join, tag

Place = tuple[NodeUse, DeviceUse]


class NodesView(View[Nodes]):
    """Show every GPU with who holds which part."""

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
        return [
            {
                "node": node.name,
                "gpu": use.device.index,
                "model": use.device.model,
                "memory": use.device.memory,
                "free": use.free / 1000,
                "utilisation": use.utilisation,
                "memory_used": use.memory_used,
                "sessions": [piece.name for piece in use.slices],
                "simulated": use.device.simulated,
                "lost": use.device.lost,
                "uuid": use.device.uuid,
            }
            for node, use in self._places()
        ]

    def _places(self) -> list[Place]:
        return [(node, device) for node in self.data.nodes for device in node.devices]

    def _none(self) -> str:
        names = ", ".join(node.name for node in self.data.nodes)
        return f"No GPUs were found{f' on {names}' if names else ''}."


def _model(place: Place) -> str:
    device = place[1].device
    marks = [mark for mark, on in (("simulated", device.simulated), ("lost", device.lost)) if on]
    return f"{device.model} ({', '.join(marks)})" if marks else device.model


def _slice(piece: SliceUse) -> str:
    over = " over its share" if piece.over else ""
    return f"{piece.project}/{piece.name} {gpus_text(piece.milli)}{over}"


def _measured(value: int | None, unit: str) -> str:
    return f"{value} {unit}" if value is not None else ""


def _used(place: Place) -> str:
    return f"{(1000 - place[1].free) // 10} % allocated"


def _bar(place: Place) -> Markup:
    return bar(_used(place), 1000 - place[1].free, 1000)


_COLUMNS: list[Column[Place]] = [
    Column("NODE", lambda p: p[0].name, whole=True),
    Column("GPU", lambda p: device_text(p[1].device)),
    Column("MODEL", _model, whole=True),
    Column("MEMORY", lambda p: memory_text(p[1].device.memory)),
    Column("FREE", lambda p: gpus_text(p[1].free)),
    Column("UTILISATION", lambda p: _measured(p[1].utilisation, "%")),
    Column("IN USE", lambda p: _measured(p[1].memory_used, "MiB")),
    Column("SESSIONS", lambda p: ", ".join(map(_slice, p[1].slices))),
]
