"""What all objects have."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Part of a Kubernetes object.

    Python's collector does not look at it: decoded JSON refers to nothing that refers to it, and
    looking at some hundred thousand of them again and again took most of the time of reading them.
    """


class Owner(Record, frozen=True, kw_only=True):
    """The object that another one belongs to."""

    kind: str
    name: str
    uid: str
    controller: bool = False


class Meta(Record, frozen=True, kw_only=True):
    """The metadata of an object."""

    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)
    annotations: Mapping[str, str] = msgspec.field(default_factory=dict)
    owner_references: tuple[Owner, ...] = ()
    finalizers: tuple[str, ...] = ()


class Object(Record, frozen=True, kw_only=True):
    """An object of any kind."""

    metadata: Meta

    @property
    def key(self) -> tuple[str, str]:
        """Return namespace and name."""
        return self.metadata.namespace, self.metadata.name

    @property
    def version(self) -> int:
        """The resource version as a number."""
        return version_number(self.metadata.resource_version)


def version_number(version: str) -> int:
    """Return a resource version as a number: they are comparable (KEP-5504, Kubernetes 1.35).

    It is 0 where there is none, or where it is no number.
    """
    return int(version) if version.isdecimal() else 0


class Condition(Record, frozen=True, kw_only=True):
    """A condition in an object's status."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None
