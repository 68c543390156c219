"""What isolates a share.

Strengths are those that the vendor documents: CUDA_VISIBLE_DEVICES is a convention that a process
can change; MPS limits are enforced by the driver, but for each client process separately, and a
client that finds no daemon runs without them; MIG is hardware.
"""

from __future__ import annotations

from ...model.resources import Isolation, Share

_VISIBLE = "changing CUDA_VISIBLE_DEVICES shows the other GPUs"


def isolation_of(share: Share, *, simulated: bool, mps: bool) -> Isolation | None:
    """Return what isolates a share, None for a session without a GPU.

    `mps` is true if an MPS control daemon answered for the device when the session started.
    """
    if not share.wants_gpu:
        return None
    if simulated:
        return Isolation(memory="none", compute="none", note="The GPU is simulated.")
    if share.mig:
        return Isolation(memory="hardware", compute="hardware", scope="session", bypass=(_VISIBLE,))
    if share.devices:
        return Isolation(
            memory="cooperative",
            compute="cooperative",
            scope="session",
            bypass=(_VISIBLE,),
            note="The whole GPU belongs to this session by convention.",
        )
    return _mps(share) if mps else _nothing()


def _mps(share: Share) -> Isolation:
    limited = bool(share.milli or share.compute)
    return Isolation(
        memory="enforced",
        compute="enforced" if limited else "none",
        scope="process",
        bypass=(
            "the memory limit applies to each process of the session separately",
            "a process that does not use MPS has no limit",
            _VISIBLE,
        ),
        note="NVIDIA MPS enforces the limits for each process separately.",
    )


def _nothing() -> Isolation:
    return Isolation(
        memory="none",
        compute="none",
        bypass=("a process can use more than the share",),
        note="The share is counted, not enforced: no MPS control daemon is running.",
    )
