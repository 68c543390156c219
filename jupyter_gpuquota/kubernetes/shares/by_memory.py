"""What HAMi and ACK have in common: memory of GPUs is given out in units."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import share_arg
from ...model.resources import MILLI, Share
from .cards import Cards
from .gpu_node import GpuNode
from .provider import Grant


def granted(share: Share, node: GpuNode) -> Grant | None:
    """Return the units that a share needs, None for more than the node has.

    Whole GPUs, and fractions or memory of one: rounded up to units.
    """
    cards = node.cards
    if not cards:
        return None
    each, count = _units(share, cards), share.devices or 1
    if not 0 < each <= cards.units or count > cards.count:
        return None
    milli = node.milli(cards.resource, count * each)
    size = {"memory": each * cards.unit} if share.memory else {"milli": milli}
    return Grant(msgspec.structs.replace(share, **size), milli, cards.resource, count * each)


def refusal(share: Share, nodes: Sequence[GpuNode], devices: int = 0) -> FieldError | None:
    """Return the most that nodes give to a session; `devices` GPUs at most, 0 for any number."""
    found = [node.cards for node in nodes if node.cards]
    if share.mig or not found:
        return None
    if share.memory:
        largest = max(cards.memory for cards in found)
        return field_error("gpu_memory", "share.memory", memory=share.memory, most=largest)
    if devices:
        return field_error("gpu", "share.parts", most=share_arg(Share(milli=devices * MILLI)))
    most = max(cards.count for cards in found) * MILLI
    return field_error("gpu", "share.devices", share=share_arg(share), most=most)


def _units(share: Share, cards: Cards) -> int:
    """Return the units of each GPU; 0 for a share that they cannot give."""
    if share.mig or share.divided:
        return 0
    if share.memory:
        return -(-share.memory // cards.unit)
    return -(-min(share.milli, MILLI) * cards.units // MILLI)
