"""Objects beside a pod: what makes KWOK serve its log, shell and ports, and events."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .status import now

Json = dict[str, Any]


def beside(pod: Json, kind: str, spec: Json) -> Json:
    """Return an object of KWOK with the pod's name, which is deleted with the pod."""
    meta = pod["metadata"]
    owner = {"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"]}
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": kind,
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "ownerReferences": [owner],
        },
        "spec": spec,
    }


def logs(pod: Json, container: str, log: Path, previous: Path | None) -> Json:
    """Return where a container's log is, and that of its last run."""
    entry = {"containers": [container], "logsFile": str(log), "follow": True}
    if previous:
        entry["previousLogsFile"] = str(previous)
    return beside(pod, "Logs", {"logs": [entry]})


def shell(pod: Json, container: str, folder: Path, environment: Mapping[str, str]) -> Json:
    """Return where and with which environment commands run in a container."""
    variables = [{"name": name, "value": value} for name, value in environment.items()]
    local = {"workDir": str(folder), "envs": variables}
    return beside(pod, "Exec", {"execs": [{"containers": [container], "local": local}]})


def forwards(pod: Json, ports: Mapping[int, int]) -> Json:
    """Return the real ports."""
    entries = [
        {"ports": [port], "target": {"address": "127.0.0.1", "port": real}}
        for port, real in ports.items()
    ]
    return beside(pod, "PortForward", {"forwards": entries})


def event(pod: Json, reason: str, message: str, kind: str = "Normal") -> Json:
    """Return an event of the kubelet about a pod."""
    meta, time = pod["metadata"], now()
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"generateName": f"{meta['name']}.", "namespace": meta["namespace"]},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": meta["name"],
            "namespace": meta["namespace"],
            "uid": meta["uid"],
        },
        "reason": reason,
        "message": message,
        "type": kind,
        "source": {"component": "kubelet", "host": pod["spec"]["nodeName"]},
        "firstTimestamp": time,
        "lastTimestamp": time,
        "count": 1,
    }
