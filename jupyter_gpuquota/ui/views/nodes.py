"""Nodes and their GPUs."""

from __future__ import annotations

from ...client.nodes import GPUS, gpus
from ...model.nodes import DeviceUse, Nodes, NodeUse, SliceUse
from ...model.resources import devices_text, gpus_text, memory_text
from .markup import Markup, bar, join, tag
from .view import Column, Row, View, html_table, text_table

Place = tuple[NodeUse, DeviceUse]


class NodesView(View[Nodes]):
    """All GPUs with the sessions on them."""

    @property
    def text(self) -> str:
        """Return a row for each GPU."""
        places = self._places()
        return "\n".join([text_table(_COLUMNS, places) if places else self._none(), *self._notes()])

    @property
    def body(self) -> Markup:
        """Return the same with bars."""
        places, notes = self._places(), [tag("p", note) for note in self._notes()]
        if not places:
            return join(tag("p", self._none()), *notes)
        return join(html_table([*_COLUMNS, Column("USED", _used, _bar)], places, "GPUs"), *notes)

    @property
    def records(self) -> list[Row]:
        """Return a row for each GPU; memory in MiB."""
        return GPUS.rows(self._places())

    def _places(self) -> list[Place]:
        return gpus(self.data)

    def _notes(self) -> list[str]:
        return [f"{node.name}: {node.note}" for node in self.data.nodes if node.note]

    def _none(self) -> str:
        names = ", ".join(node.name for node in self.data.nodes)
        return f"No GPUs found{f' on {names}' if names else ''}."


def _model(place: Place) -> str:
    node, device = place[0], place[1].device
    known = (
        (node.problem, node.problem),
        ("lost", device.lost and not node.problem),
        (device.problem, device.problem and not device.lost),
    )
    marks = [mark for mark, on in (("simulated", device.simulated), *known) if on]
    return f"{device.model} ({', '.join(marks)})" if marks else device.model


def _memory(place: Place) -> str:
    return memory_text(place[1].device.memory) if place[1].device.memory else ""


def _slice(piece: SliceUse) -> str:
    over = " (over its share)" if piece.over else ""
    name = f"{piece.project}/{piece.name}" if piece.project else piece.name
    return f"{name} {gpus_text(piece.milli)}{over}"


def _measured(value: int | None, unit: str) -> str:
    return f"{value} {unit}" if value is not None else ""


def _used(place: Place) -> str:
    milli = place[1].device.milli
    return f"{100 * (milli - place[1].free) // milli} % in use"


def _bar(place: Place) -> Markup:
    milli = place[1].device.milli
    return bar(_used(place), milli - place[1].free, milli)


_COLUMNS: list[Column[Place]] = [
    Column("NODE", lambda p: p[0].name, whole=True),
    Column("GPU", lambda p: devices_text(p[1].device)),
    Column("MODEL", _model, whole=True),
    Column("MEMORY", _memory),
    Column("FREE", lambda p: gpus_text(p[1].free)),
    Column("UTILISATION", lambda p: _measured(p[1].utilisation, "%")),
    Column("MEMORY USED", lambda p: _measured(p[1].memory_used, "MiB")),
    Column("TEMPERATURE", lambda p: _measured(p[1].temperature, "°C")),
    Column("SESSIONS", lambda p: ", ".join(map(_slice, p[1].slices))),
]
