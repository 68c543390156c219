"""Sessions with GPUs, largest share first."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.nodes import DeviceUse, Nodes, SliceUse
from ...model.resources import device_text, gpus_text, memory_text
from .markup import Markup, bar, tag
from .view import Column, Row, View, html_table, text_table


@dataclass(frozen=True, slots=True)
class Holder:
    """A session with its parts of devices."""

    node: str
    parts: tuple[tuple[DeviceUse, SliceUse], ...]

    @property
    def first(self) -> SliceUse:
        """Return its first part, for values that all parts share."""
        return self.parts[0][1]

    @property
    def milli(self) -> int:
        """Return its GPUs, in milli-GPU."""
        return sum(piece.milli for _, piece in self.parts)

    @property
    def memory(self) -> int:
        """Return its share of memory, in MiB."""
        return sum(piece.memory for _, piece in self.parts)

    @property
    def utilisation(self) -> int | None:
        """Return the mean utilisation of its devices in per cent, over all their processes."""
        percents = [use.utilisation_of(piece.session) for use, piece in self.parts]
        measured = [percent for percent in percents if percent is not None]
        return sum(measured) // len(measured) if measured else None

    @property
    def simulated(self) -> bool:
        """Return whether its devices are simulated."""
        return any(use.device.simulated for use, _ in self.parts)


class TopView(View[Nodes]):
    """All sessions with GPUs, or those of one project; `undivided`: one project has all GPUs."""

    def __init__(self, data: Nodes, *, project: str = "", undivided: bool = False) -> None:
        super().__init__(data)
        self._columns = [c for c in _COLUMNS if not (undivided and c.heading == "PROJECT")]
        chosen = [h for h in holders(data) if project in ("", h.first.project)]
        self.holders = sorted(chosen, key=_rank)

    @property
    def text(self) -> str:
        """Return a row for each session."""
        return text_table(self._columns, self.holders) if self.holders else _NONE

    @property
    def body(self) -> Markup:
        """Return the same with bars of memory."""
        if not self.holders:
            return tag("p", _NONE)
        columns = [*self._columns[:-1], Column("MEMORY", _memory, _bar)]
        return html_table(columns, self.holders, "Top")

    @property
    def records(self) -> list[Row]:
        """Return a row for each session; GPUs are numbers, memory is in MiB."""
        return [
            {
                "session": h.first.name,
                "project": h.first.project,
                "user": h.first.owner,
                "gpus": h.milli / 1000,
                "node": h.node,
                "devices": [use.device.index for use, _ in h.parts],
                "utilisation": h.utilisation,
                "memory": h.memory,
                "memory_used": h.first.used,
                "over": h.first.over,
                "simulated": h.simulated,
            }
            for h in self.holders
        ]


def holders(nodes: Nodes) -> list[Holder]:
    """Return the parts of devices by session."""
    parts: dict[tuple[str, str], list[tuple[DeviceUse, SliceUse]]] = {}
    for node in nodes.nodes:
        for use in node.devices:
            for piece in use.slices:
                parts.setdefault((node.name, piece.session), []).append((use, piece))
    return [Holder(node, tuple(held)) for (node, _), held in parts.items()]


def _rank(holder: Holder) -> tuple[int, int, str, str]:
    return (-holder.milli, -(holder.first.used or 0), holder.first.project, holder.first.name)


def _gpus(holder: Holder) -> str:
    text = gpus_text(holder.milli)
    return f"{text} (simulated)" if holder.simulated else text


def _place(holder: Holder) -> str:
    gpus = ", ".join(name for use, _ in holder.parts if (name := device_text(use.device)))
    return f"{holder.node} GPU {gpus}" if gpus else holder.node


def _memory(holder: Holder) -> str:
    if holder.first.used is None:
        return ""
    over = " (over its share)" if holder.first.over else ""
    return f"{memory_text(holder.first.used)} of {memory_text(holder.memory)}{over}"


def _bar(holder: Holder) -> Markup:
    if holder.first.used is None:
        return Markup()
    return bar(_memory(holder), holder.first.used, holder.memory)


_NONE = "No GPUs in use."
_COLUMNS: list[Column[Holder]] = [
    Column("SESSION", lambda h: h.first.name, whole=True),
    Column("PROJECT", lambda h: h.first.project, whole=True),
    Column("USER", lambda h: h.first.owner),
    Column("GPUs", _gpus),
    Column("RUNS ON", _place, whole=True),
    Column("UTILISATION", lambda h: "" if h.utilisation is None else f"{h.utilisation} %"),
    Column("MEMORY", _memory),
]
