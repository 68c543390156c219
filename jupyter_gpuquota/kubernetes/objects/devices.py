"""Devices of Dynamic Resource Allocation, and claims of them (`resource.k8s.io/v1`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from .meta import Object, Record


class Attribute(Record, frozen=True, kw_only=True):
    """What a driver says of a device; only texts are read."""

    string: str = ""


class Capacity(Record, frozen=True, kw_only=True):
    """An amount that a device has."""

    value: str | int = 0


class ClaimedDevice(Record, frozen=True, kw_only=True):
    """A device in a slice. One that `consumes_counters` shares its hardware with others."""

    name: str
    attributes: Mapping[str, Attribute] = msgspec.field(default_factory=dict)
    capacity: Mapping[str, Capacity] = msgspec.field(default_factory=dict)
    consumes_counters: tuple[Mapping[str, Any], ...] = ()


class Pool(Record, frozen=True, kw_only=True):
    """The pool of a slice; only slices of its newest generation count."""

    name: str = ""
    generation: int = 0


class SliceSpec(Record, frozen=True, kw_only=True):
    """The devices of a driver on a node, or a part of them."""

    driver: str = ""
    node_name: str = ""
    pool: Pool = Pool()
    devices: tuple[ClaimedDevice, ...] = ()


class ResourceSlice(Object, frozen=True, kw_only=True):
    """Devices that a driver offers."""

    spec: SliceSpec = SliceSpec()


class Allocated(Record, frozen=True, kw_only=True):
    """One device that a claim has been given."""

    driver: str = ""
    pool: str = ""
    device: str = ""


class AllocatedDevices(Record, frozen=True, kw_only=True):
    """The devices that a claim has been given."""

    results: tuple[Allocated, ...] = ()


class Allocation(Record, frozen=True, kw_only=True):
    """What a claim has been given."""

    devices: AllocatedDevices = AllocatedDevices()


class Consumer(Record, frozen=True, kw_only=True):
    """A pod that may use a claim."""

    resource: str = ""
    name: str = ""
    uid: str = ""


class ClaimStatus(Record, frozen=True, kw_only=True):
    """What a claim has been given, and who uses it."""

    allocation: Allocation = Allocation()
    reserved_for: tuple[Consumer, ...] = ()


class ResourceClaim(Object, frozen=True, kw_only=True):
    """A claim of devices."""

    status: ClaimStatus = ClaimStatus()


class DeviceObjects(msgspec.Struct, frozen=True):
    """What a cluster says of devices; empty where it has none."""

    slices: tuple[ResourceSlice, ...] = ()
    claims: tuple[ResourceClaim, ...] = ()
