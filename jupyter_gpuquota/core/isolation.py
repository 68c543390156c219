"""Say honestly what holds a share.

Levels follow what the vendor's documents promise: CUDA_VISIBLE_DEVICES is a convention that a
process can change; MPS limits are kept by the driver, but for each client process anew, and a
client that finds no daemon runs without them; MIG is hardware.
"""

from __future__ import annotations

from ..model.resources import Isolation, Share

_VISIBLE = "changing CUDA_VISIBLE_DEVICES shows the other GPUs"


def isolation_of(share: Share, *, simulated: bool, mps: bool) -> Isolation | None:
    """Return what holds a share, None for a session without a GPU.

    `mps` tells whether an MPS control daemon answered for the device when the session started.
    """
    if not share.wants_gpu:
        return None
    if simulated:
        return Isolation(
            memory="none", compute="none", note="The GPU is simulated: nothing is limited."
        )
    if share.mig:
        return Isolation(memory="hardware", compute="hardware", scope="session", bypass=(_VISIBLE,))
    if share.devices:
        return Isolation(
            memory="cooperative",
            compute="cooperative",
            scope="session",
            bypass=(_VISIBLE,),
            note="The whole GPU is this session's by agreement.",
        )
    return _mps(share) if mps else _nothing()


def _mps(share: Share) -> Isolation:
    limited = bool(share.milli or share.compute)
    return Isolation(
        memory="enforced",
        compute="enforced" if limited else "none",
        scope="process",
        bypass=(
            "each process of the session gets the memory limit anew",
            "a process that leaves MPS has no limit",
            _VISIBLE,
        ),
        note="Limits are kept by NVIDIA MPS, for each process by itself.",
    )


def _nothing() -> Isolation:
    return Isolation(
        memory="none",
        compute="none",
        bypass=("nothing stops a process from using more than the share",),
        note="No MPS control daemon answers: the share is counted, not enforced.",
    )
