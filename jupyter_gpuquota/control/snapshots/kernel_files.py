"""The files into which kernels write chosen variables for snapshots."""

from __future__ import annotations

from hashlib import sha256

from msgspec.structs import replace

from ...errors import GpuQuotaError, Unsupported
from ...model.snapshots.manifest import PartProblem
from ...model.snapshots.orders import SnapshotOrder
from ...ports.charge import NotInCharge
from ...ports.variables import KernelVariables

_DIGITS = 32


async def written(able: KernelVariables | None, order: SnapshotOrder) -> SnapshotOrder:
    """Return an order whose variables a kernel has written, or with the reason why not.

    Raises NotInCharge.
    """
    dump = sha256(order.id.encode()).hexdigest()[:_DIGITS]
    try:
        if able is None:
            raise Unsupported("This backend does not ask kernels for their variables.")
        await able.write(order.draft.session, order.variables, order.notebook, dump)
    except NotInCharge:
        raise
    except GpuQuotaError as error:
        problem = PartProblem(part="kernel", message=error.message)
        draft = replace(order.draft, problems=(*order.draft.problems, problem))
        return replace(order, draft=draft, variables=())
    return replace(order, dump=dump)
