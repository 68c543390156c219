"""A claim as a volume. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...model.messages.build import reason
from ...model.reasons import Reason
from ...model.volumes.mounts import VolumeUse
from ...model.volumes.volumes import Volume, VolumeState
from ..labels import DESCRIPTION, OWNER, READ_ONLY
from ..objects.pods import Event
from ..objects.storage import Claim, ClassOfStorage, PersistentVolume
from ..quantities import Quantity, units
from . import modes, ties

_WAITS = "WaitForFirstConsumer"
_FAILED = ("ProvisioningFailed", "VolumeResizeFailed", "VolumeModifyFailed")
_DEFAULT = "storageclass.kubernetes.io/is-default-class"


@dataclass(frozen=True, slots=True)
class Around:
    """What is known about a claim besides itself; None for what may not be read."""

    volume: PersistentVolume | None = None
    storage_class: ClassOfStorage | None = None
    events: tuple[Event, ...] = ()
    used: int | None = None
    uses: tuple[VolumeUse, ...] = ()


def volume_of(claim: Claim, around: Around) -> Volume:
    """Return a claim as a volume."""
    meta, spec, status = claim.metadata, claim.spec, claim.status
    state, why = _state(claim, around)
    return Volume(
        name=meta.name,
        project=meta.namespace,
        owner=meta.annotations.get(OWNER, ""),
        kind="claim",
        description=meta.annotations.get(DESCRIPTION, ""),
        storage_class=spec.storage_class_name or "",
        size=size_of(claim),
        used=around.used,
        enforced=True,
        modes=modes.short(modes_of(claim)),
        read_only=meta.annotations.get(READ_ONLY) == "true",
        state=state,
        reason=why,
        nodes=ties.named_nodes(around.volume) if around.volume else (),
        zones=ties.named_zones(around.volume) if around.volume else (),
        uses=around.uses,
        created=meta.creation_timestamp,
        level=status.current_volume_attributes_class_name or spec.volume_attributes_class_name,
        source=_source(claim),
    )


def size_of(claim: Claim) -> int:
    """Return the bytes of a claim: of its volume, and until there is one those requested."""
    requests = claim.spec.resources.requests
    return _bytes(claim.status.capacity.get("storage", requests.get("storage", 0)))


def requested_size(claim: Claim) -> int:
    """Return the bytes that a claim requests: more than it has while it grows."""
    return _bytes(claim.spec.resources.requests.get("storage", 0))


def modes_of(claim: Claim) -> tuple[str, ...]:
    """Return the access modes that the API knows: those of the volume, if there is one."""
    return claim.status.access_modes or claim.spec.access_modes


def waits(storage_class: ClassOfStorage) -> bool:
    """Return whether volumes of a class are made when a pod first mounts them."""
    return storage_class.volume_binding_mode == _WAITS


def is_default(storage_class: ClassOfStorage) -> bool:
    """Return whether a class is that of claims that name none."""
    return storage_class.metadata.annotations.get(_DEFAULT) == "true"


def failure(events: Iterable[Event]) -> str:
    """Return the newest failure that the events of a claim tell, empty if they tell none."""
    found = [each for each in events if each.reason in _FAILED and each.message]
    return max(found, key=_at).message.rstrip(".") if found else ""


def _state(claim: Claim, around: Around) -> tuple[VolumeState, Reason | None]:
    if claim.metadata.deletion_timestamp:
        return "removing", None
    if claim.status.phase == "Lost":
        return "lost", reason("VolumePending", "volume.lost")
    if claim.status.phase != "Bound":
        return "pending", _why_pending(around)
    return "ready", _why_unchanged(claim, around)


def _why_pending(around: Around) -> Reason:
    """Return why there is no volume yet; one that waits for a pod is as it should be."""
    if failed := _failed(around.events):
        return failed
    if around.storage_class and waits(around.storage_class):
        return reason("VolumePending", "volume.first")
    return reason("VolumePending", "volume.pending")


def _why_unchanged(claim: Claim, around: Around) -> Reason | None:
    """Return why a change of a claim is not done yet, None if there is none."""
    pending = {each.type for each in claim.status.conditions if each.status == "True"}
    if "FileSystemResizePending" in pending:
        return reason("VolumePending", "volume.grows")
    modify = claim.status.modify_volume_status
    if modify or requested_size(claim) > size_of(claim):
        return _failed(around.events) or reason("VolumePending", "volume.changing")
    return None


def _failed(events: Iterable[Event]) -> Reason | None:
    problem = failure(events)
    return reason("VolumePending", "volume.failed", problem=problem) if problem else None


def _source(claim: Claim) -> str:
    source = claim.spec.data_source
    if source is None:
        return ""
    kind = "volume" if source.kind == "PersistentVolumeClaim" else "snapshot"
    return f"{kind}:{source.name}"


def _bytes(amount: Quantity) -> int:
    try:
        return units(amount)
    except ValueError:
        return 0


def _at(event: Event) -> float:
    at = event.last_timestamp or event.event_time or event.metadata.creation_timestamp
    return at.timestamp() if at else 0.0
