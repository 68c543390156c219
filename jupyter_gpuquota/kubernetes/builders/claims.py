"""The template of a session's claim of devices, and how its pod names it.

A template cannot be changed, so its name has a hash of what it claims: after a resize it is
another. It goes with the workload that it belongs to.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from ...model.sessions import Session
from ..names import object_name
from ..resources import CLAIM_TEMPLATES
from ..shares.provider import PodPatch
from .metadata import manifest

CLAIM = "gpu"
"""The name of the claim in the pod."""


def pod_claims(session: Session, share: PodPatch) -> list[dict[str, str]]:
    """Return the claim of a pod, none for a share without one."""
    if not share.devices:
        return []
    return [{"name": CLAIM, "resourceClaimTemplateName": _name(session, share)}]


def claim_template(session: Session, share: PodPatch) -> dict[str, Any]:
    """Return the template from which the cluster makes the claim of each pod."""
    made = manifest(CLAIM_TEMPLATES, session, spec={"spec": dict(share.devices)})
    made["metadata"]["name"] = _name(session, share)
    return made


def _name(session: Session, share: PodPatch) -> str:
    content = msgspec.json.encode(share.devices, order="deterministic")
    return f"{object_name(session)}-{hashlib.sha256(content).hexdigest()[:8]}"
