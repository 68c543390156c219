"""What the pods of a training with several processes need to find each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model.sessions import Session
from ..labels import PROCESS
from ..names import object_name

PORT = 29500
"""The port of the first process at which `torch.distributed` meets."""


def variables(session: Session) -> dict[str, str]:
    """Return the variables that `torch.distributed` and `torchrun` (`PET_…`) read.

    The first pod of an Indexed Job has the stable name `JOB-0` below the session's Service.
    """
    count = session.spec.processes
    if count == 1:
        return {}
    name = object_name(session)
    first, port, nodes = f"{name}-0.{name}", str(PORT), str(count)
    return {
        "MASTER_ADDR": first,
        "MASTER_PORT": port,
        "WORLD_SIZE": nodes,
        "PET_MASTER_ADDR": first,
        "PET_MASTER_PORT": port,
        "PET_NNODES": nodes,
    }


def numbered(session: Session) -> Mapping[str, Mapping[str, Any]]:
    """Return the variables that are the number of a pod's process, from 0."""
    if session.spec.processes == 1:
        return {}
    index = {"valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{PROCESS}']"}}}
    return dict.fromkeys(("RANK", "PET_NODE_RANK"), index)
