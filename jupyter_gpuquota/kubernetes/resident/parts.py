"""What is added to the manifests of a request."""

from __future__ import annotations

from ...control.board import Board
from ...model.sessions import SessionSpec
from ..builders.defaults import Parts, PodDefaults
from ..engines.engine import Engine
from ..inventory import KubernetesInventory


def parts_of(
    engine: Engine,
    inventory: KubernetesInventory,
    board: Board,
    defaults: PodDefaults,
    spec: SessionSpec,
) -> Parts:
    """Return what the engine, the share and the administrator add now. Raises InvalidFields."""
    return Parts(
        engine=engine.patch(spec),
        share=inventory.choice(spec).patch(),
        defaults=defaults,
        node_types=inventory.node_groups(spec),
        grace=board.settings.rules.grace,
    )
