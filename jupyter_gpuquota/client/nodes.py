"""Nodes and their GPUs."""

from __future__ import annotations

from ..model.nodes import DeviceUse, GpuList, GpuUse, NodeUse, SessionUtilisation, UtilisationList
from ..model.nodes import Nodes as Answer
from .listing import Listing, Table
from .namespace import Namespace

GPUS = Table[tuple[NodeUse, DeviceUse]](
    columns={
        "node": lambda line: line[0].name,
        "gpu": lambda line: line[1].device.index,
        "count": lambda line: line[1].device.count,
        "model": lambda line: line[1].device.model,
        "memory": lambda line: line[1].device.memory,
        "free": lambda line: line[1].free / 1000,
        "utilisation": lambda line: line[1].utilisation,
        "memory_used": lambda line: line[1].memory_used,
        "temperature": lambda line: line[1].temperature,
        "sessions": lambda line: [piece.name for piece in line[1].slices],
        "simulated": lambda line: line[1].device.simulated,
        "lost": lambda line: line[1].device.lost,
        "problem": lambda line: line[0].problem,
        "uuid": lambda line: line[1].device.uuid,
    },
    shown=("node", "gpu", "model", "free", "utilisation", "sessions"),
    empty="No GPUs.",
)
"""One line a GPU, or `count` GPUs that are not told apart.

Memory is in MiB, what is free in GPUs, utilisation in per cent, temperature in °C.
"""


MEASURED = Table[GpuUse](
    columns={
        "node": lambda each: each.node,
        "gpu": lambda each: each.name,
        "model": lambda each: each.model,
        "utilisation": lambda each: each.utilisation,
        "memory_used": lambda each: each.memory_used,
        "memory": lambda each: each.memory,
        "temperature": lambda each: each.temperature,
        "programs": lambda each: [program.name or program.owner for program in each.programs],
        "mine": lambda each: each.mine,
    },
    shown=("node", "gpu", "utilisation", "memory_used", "temperature", "programs"),
    empty="No GPU is measured.",
)
"""Memory is in MiB, utilisation in per cent, temperature in °C."""


UTILISATION = Table[SessionUtilisation](
    columns={
        "session": lambda each: each.session,
        "now": lambda each: each.percents[-1],
        "mean": lambda each: sum(each.percents) / len(each.percents),
        "percents": lambda each: list(each.percents),
    },
    shown=("session", "now", "mean"),
    empty="The utilisation of no session is measured.",
)
"""Per cent; `percents` are the last checks, the newest last."""


class Nodes(Namespace):
    """Nodes, their GPUs, and who holds which part of them."""

    def list(self) -> Listing[NodeUse, Answer]:
        """List the nodes; the table has a line for each GPU."""
        answer: Answer = self._context.call("nodes.list")
        return Listing(answer, answer.nodes, GPUS, gpus(answer))

    def gpus(self) -> Listing[GpuUse, GpuList]:
        """List what is measured of GPUs now: of all on a small system, else of those in own use."""
        answer: GpuList = self._context.call("nodes.gpus")
        return Listing(answer, answer.items, MEASURED)

    def utilisation(self) -> Listing[SessionUtilisation, UtilisationList]:
        """List how busy the GPUs of the visible sessions were lately, where that is measured."""
        answer: UtilisationList = self._context.call("nodes.utilisation")
        return Listing(answer, answer.items, UTILISATION)


def gpus(answer: Answer) -> list[tuple[NodeUse, DeviceUse]]:
    """Return each GPU with its node."""
    return [(node, device) for node in answer.nodes for device in node.devices]
