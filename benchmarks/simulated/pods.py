"""Pods as an API server lists them, about as large as those of a busy cluster."""

from __future__ import annotations

from typing import Any

PROJECTS = 20


def pod(number: int) -> dict[str, Any]:
    """Return a running pod of a session, with a helper container."""
    namespace, name = f"team-{number % PROJECTS}", f"gpu-session-{number}-0"
    return {
        "metadata": {
            "name": name,
            "generateName": f"gpu-session-{number}-",
            "namespace": namespace,
            "uid": f"b572505d-c495-44db-ad7a-{number:012}",
            "resourceVersion": str(10_000 + number),
            "generation": 2,
            "creationTimestamp": "2026-01-05T12:40:50Z",
            "labels": {f"example.com/label-{each}": f"value-{number}" for each in range(12)},
            "annotations": {f"example.com/note-{each}": "x" * 60 for each in range(8)},
            "ownerReferences": [_owner(number)],
            "managedFields": [_written(manager) for manager in ("controller", "kubelet")],
        },
        "spec": {
            "containers": [_container("session"), _container("helper")],
            "nodeName": f"node-{number % 100}",
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "serviceAccountName": "default",
            "tolerations": [
                {"effect": "NoExecute", "key": f"node.kubernetes.io/{why}", "operator": "Exists"}
                for why in ("not-ready", "unreachable")
            ],
        },
        "status": {
            "phase": "Running",
            "conditions": [
                {"type": kind, "status": "True", "lastTransitionTime": "2026-01-05T12:41:00Z"}
                for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
            ],
            "containerStatuses": [_status("session"), _status("helper")],
            "podIP": "198.18.0.1",
            "startTime": "2026-01-05T12:40:51Z",
        },
    }


def _owner(number: int) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "name": f"gpu-session-{number}",
        "uid": f"1efdc027-bdcb-4d55-8f6b-{number:012}",
        "controller": True,
    }


def _written(manager: str) -> dict[str, Any]:
    fields: dict[str, Any] = {f"f:field-{each}": {".": {}, "f:value": {}} for each in range(25)}
    return {"manager": manager, "operation": "Update", "apiVersion": "v1", "fieldsV1": fields}


def _container(name: str) -> dict[str, Any]:
    amounts = {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}
    return {
        "name": name,
        "image": f"registry.example.com/{name}:1",
        "env": [{"name": f"VARIABLE_{each}", "value": "x" * 30} for each in range(10)],
        "ports": [{"containerPort": 8888, "protocol": "TCP"}],
        "resources": {"limits": amounts, "requests": amounts},
        "volumeMounts": [{"name": f"v-{each}", "mountPath": f"/v/{each}"} for each in range(4)],
        "securityContext": {"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}},
    }


def _status(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "ready": True,
        "started": True,
        "restartCount": 0,
        "image": f"registry.example.com/{name}:1",
        "imageID": f"registry.example.com/{name}@sha256:{'0' * 64}",
        "containerID": f"containerd://{'0' * 64}",
        "state": {"running": {"startedAt": "2026-01-05T12:40:59Z"}},
        "lastState": {},
    }
