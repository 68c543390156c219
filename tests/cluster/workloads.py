"""Workloads in the shape of the backend's, for tests of the cluster itself."""

from __future__ import annotations

from typing import Any

from tests.cluster.teams import Team

Json = dict[str, Any]

RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def stateful_set(team: Team, name: str, gpus: Json, **changes: Any) -> Json:
    """Return a StatefulSet with one pod; `changes` are those of its container."""
    container = {
        "name": "session",
        "image": "quay.io/jupyter/base-notebook",
        "securityContext": dict(RESTRICTED),
        "resources": {"limits": {"cpu": "1", "memory": "1Gi", **gpus}},
        **changes,
    }
    labels = {"app": name}
    queue = {"kueue.x-k8s.io/queue-name": team.queue} if team.queue else {}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": team.namespace, "labels": queue},
        "spec": {
            "replicas": 1,
            "serviceName": name,
            "selector": {"matchLabels": labels},
            "template": template,
        },
    }


def secret(team: Team, name: str, **content: str) -> Json:
    """Return a Secret."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": team.namespace},
        "stringData": content,
    }


def service(team: Team, name: str, port: int) -> Json:
    """Return the Service of a StatefulSet."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": team.namespace},
        "spec": {
            "selector": {"app": name},
            "ports": [{"name": "http", "port": 80, "targetPort": port}],
        },
    }
