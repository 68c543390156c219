"""Keep the policy free of what is over, and of whom there is no more."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..errors import FieldError
from ..model.policy import Policy
from .projects import refuse


def without_expired(policy: Policy, before: Policy, now: datetime) -> Policy:
    """Return a policy without exemptions that are over.

    Raises InvalidFields for one that is over though it was not there before: it is a mistake.
    """
    refuse(
        [
            FieldError(f"exemptions[{i}].until", "That time is over.", "Take a later one.")
            for i, exemption in enumerate(policy.exemptions)
            if exemption.until <= now and exemption not in before.exemptions
        ]
    )
    left = tuple(exemption for exemption in policy.exemptions if exemption.until > now)
    return msgspec.structs.replace(policy, exemptions=left)


def without_project(policy: Policy, name: str) -> Policy:
    """Return a policy that says nothing of a project."""
    who = f"project:{name}"
    return msgspec.structs.replace(
        policy,
        levels=tuple(level for level in policy.levels if level.level != who),
        exemptions=tuple(exemption for exemption in policy.exemptions if exemption.who != who),
    )
