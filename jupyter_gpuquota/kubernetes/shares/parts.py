"""What ways of sharing that only count fractions have in common: any part of one GPU."""

from __future__ import annotations

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import share_arg
from ...model.resources import MILLI, Share


def refusal(share: Share, largest: int) -> FieldError | None:
    """Return the most that a session gets: one GPU, the largest of which has so many MiB."""
    if share.mig:
        return None
    if share.compute:
        return field_error("gpu_compute", "share.compute.none")
    if share.memory:
        return field_error("gpu_memory", "share.memory", memory=share.memory, most=largest)
    return field_error("gpu", "share.parts", most=share_arg(Share(milli=MILLI)))
