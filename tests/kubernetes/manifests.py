"""Small manifests for tests of the connection."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from jupyter_gpuquota.kubernetes.labels import MANAGED_BY, MANAGER
from jupyter_gpuquota.kubernetes.objects.meta import Meta


def secret(
    name: str, *, data: str = "", labels: Mapping[str, str] | None = None, owner: Meta | None = None
) -> dict[str, Any]:
    """Return a Secret, of a StatefulSet where one is its owner."""
    owners = [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": owner.name, "uid": owner.uid}
        for owner in [owner]
        if owner
    ]
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "labels": {MANAGED_BY: MANAGER, **(labels or {})},
            **({"ownerReferences": owners} if owners else {}),
        },
        "data": {"value": base64.b64encode(data.encode()).decode()},
    }


def stateful_set(
    name: str, *, replicas: int = 0, annotations: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return a StatefulSet."""
    labels = {"app": name}
    container = {"name": "main", "image": "registry.example/session:1"}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {
            "name": name,
            "labels": {MANAGED_BY: MANAGER},
            "annotations": dict(annotations or {}),
        },
        "spec": {
            "replicas": replicas,
            "serviceName": name,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
