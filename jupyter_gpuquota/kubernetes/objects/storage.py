"""Claims, the volumes behind them, and the classes of both."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from .meta import Condition, Object, Record
from .pods import Resources

Quantities = Mapping[str, str | int]
"""Amounts of resources, as quantities."""


class DataSource(Record, frozen=True, kw_only=True):
    """What the first content of a claim comes from: another claim, or a snapshot."""

    kind: str
    name: str
    api_group: str = ""


class ClaimSpec(Record, frozen=True, kw_only=True):
    """What a claim asks for."""

    access_modes: tuple[str, ...] = ()
    storage_class_name: str | None = None
    volume_name: str = ""
    volume_mode: str = "Filesystem"
    resources: Resources = Resources()
    volume_attributes_class_name: str = ""
    data_source: DataSource | None = None


class ModifyStatus(Record, frozen=True, kw_only=True):
    """How far the change to another VolumeAttributesClass is."""

    status: str = ""
    target_volume_attributes_class_name: str = ""


class ClaimStatus(Record, frozen=True, kw_only=True):
    """What a claim has."""

    phase: str = ""
    access_modes: tuple[str, ...] = ()
    capacity: Quantities = msgspec.field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    current_volume_attributes_class_name: str = ""
    modify_volume_status: ModifyStatus | None = None


class Claim(Object, frozen=True, kw_only=True):
    """A PersistentVolumeClaim."""

    spec: ClaimSpec = ClaimSpec()
    status: ClaimStatus = ClaimStatus()


class Expression(Record, frozen=True, kw_only=True):
    """A condition on a label of nodes."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class NodeTerm(Record, frozen=True, kw_only=True):
    """Conditions on nodes that must all hold."""

    match_expressions: tuple[Expression, ...] = ()
    match_fields: tuple[Expression, ...] = ()


class NodeSelector(Record, frozen=True, kw_only=True):
    """Terms of which one must hold."""

    node_selector_terms: tuple[NodeTerm, ...] = ()


class VolumeAffinity(Record, frozen=True, kw_only=True):
    """From which nodes a volume can be used."""

    required: NodeSelector = NodeSelector()


class CsiSource(Record, frozen=True, kw_only=True):
    """The volume of a CSI driver."""

    driver: str
    volume_handle: str = ""


class ClaimReference(Record, frozen=True, kw_only=True):
    """The claim that has a volume."""

    namespace: str = ""
    name: str = ""
    uid: str = ""


class VolumeSpec(Record, frozen=True, kw_only=True):
    """What a volume is."""

    access_modes: tuple[str, ...] = ()
    capacity: Quantities = msgspec.field(default_factory=dict)
    claim_ref: ClaimReference = ClaimReference()
    csi: CsiSource | None = None
    node_affinity: VolumeAffinity = VolumeAffinity()


class PersistentVolume(Object, frozen=True, kw_only=True):
    """A PersistentVolume."""

    spec: VolumeSpec = VolumeSpec()


class ClassOfStorage(Object, frozen=True, kw_only=True):
    """A StorageClass."""

    provisioner: str = ""
    allow_volume_expansion: bool = False
    volume_binding_mode: str = "Immediate"


class AttributesClass(Object, frozen=True, kw_only=True):
    """A VolumeAttributesClass."""

    driver_name: str = ""
