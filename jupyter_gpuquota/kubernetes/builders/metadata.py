"""The metadata of a session's objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model.sessions import Session
from ..labels import MANAGED_BY, MANAGER, SESSION, object_name
from ..resources import Resource


def labels_of(session: Session, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the labels of each object of a session; others cannot replace them."""
    return {**(more or {}), MANAGED_BY: MANAGER, SESSION: session.id}


def selector_of(session: Session) -> dict[str, str]:
    """Return the labels that select the pods of a session."""
    return {SESSION: session.id}


def manifest(resource: Resource[Any], session: Session, **fields: Any) -> dict[str, Any]:
    """Return an object of a session."""
    metadata = {
        "name": object_name(session),
        "namespace": session.spec.project,
        "labels": labels_of(session),
    }
    head = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata}
    return {**head, **fields}


def without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that say something: neither None nor empty."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {}, ())}
