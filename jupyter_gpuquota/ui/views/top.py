"""Who uses what now, the largest share first."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.nodes import DeviceUse, Nodes, SliceUse
from ...model.resources import device_text, gpus_text, memory_text
from .base import Column, Row, View, html_table, text_table
from .markup import Markup, bar, tag


@dataclass(frozen=True, slots=True)
class Holder:
    """Be a session with the parts of devices that it holds."""

    node: str
    parts: tuple[tuple[DeviceUse, SliceUse], ...]

    @property
    def first(self) -> SliceUse:
        """Return one of its parts, for what is the same in all."""
        return self.parts[0][1]

    @property
    def milli(self) -> int:
        """Sum what it holds, in milli-GPU."""
        return sum(piece.milli for _, piece in self.parts)

    @property
    def memory(self) -> int:
        """Sum the memory that it may use, in MiB."""
        return sum(piece.memory for _, piece in self.parts)

    @property
    def utilisation(self) -> int | None:
        """Tell the mean utilisation of its devices, by all of their processes."""
        told = [use.utilisation for use, _ in self.parts if use.utilisation is not None]
        return sum(told) // len(told) if told else None

    @property
    def simulated(self) -> bool:
        """Tell whether its devices do not exist."""
        return any(use.device.simulated for use, _ in self.parts)


class TopView(View[Nodes]):
    """Show every session that holds GPUs; only those of one project with `project`."""

    def __init__(self, data: Nodes, *, project: str = "") -> None:
        super().__init__(data)
        found = [h for h in holders(data) if project in ("", h.first.project)]
        self.holders = sorted(found, key=_rank)

    @property
    def text(self) -> str:
        """Return a row for each session."""
        return text_table(_COLUMNS, self.holders) if self.holders else _NONE

    @property
    def body(self) -> Markup:
        """Return the same with bars of memory."""
        if not self.holders:
            return tag("p", _NONE)
        return html_table([*_COLUMNS[:-1], Column("MEMORY", _memory, _bar)], self.holders, "Top")

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
    """Gather the parts of devices by the session that holds them."""
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
    return f"{holder.node} GPU {', '.join(device_text(use.device) for use, _ in holder.parts)}"


def _memory(holder: Holder) -> str:
    if holder.first.used is None:
        return ""
    over = " (over its share)" if holder.first.over else ""
    return f"{memory_text(holder.first.used)} of {memory_text(holder.memory)}{over}"


def _bar(holder: Holder) -> Markup:
    if holder.first.used is None:
        return Markup()
    return bar(_memory(holder), holder.first.used, holder.memory)


_NONE = "No session holds a GPU."
_COLUMNS: list[Column[Holder]] = [
    Column("SESSION", lambda h: h.first.name, whole=True),
    Column("PROJECT", lambda h: h.first.project, whole=True),
    Column("USER", lambda h: h.first.owner),
    Column("GPUs", _gpus),
    Column("PLACED ON", _place, whole=True),
    Column("UTILISATION", lambda h: "" if h.utilisation is None else f"{h.utilisation} %"),
    Column("MEMORY", _memory),
]
