"""Configuration files of the cluster's programs."""

from __future__ import annotations

from typing import Any

import yaml

from .layout import Layout

MILLI_GPU = "jupyter-gpuquota.github.io/gpu-milli"
"""The resource that Kueue counts: thousandths of a GPU. KAI takes names in `gpu` for GPUs."""

WHOLE_GPU = "nvidia.com/gpu"


def write(layout: Layout) -> None:
    """Write all of them."""
    files = {"egress": _egress(layout), "scheduler": _scheduler(layout), "kueue": _kueue(layout)}
    for name, content in files.items():
        path = layout.conf / f"{name}.yaml"
        path.write_text(yaml.safe_dump(content), encoding="utf-8")


def _egress(layout: Layout) -> dict[str, Any]:
    """Return how the API server connects: to pods and nodes through our socket."""
    socket = {"uds": {"udsName": str(layout.egress)}}
    selections = [
        {"name": name, "connection": {"proxyProtocol": "Direct"}}
        for name in ("controlplane", "etcd")
    ]
    through = {"proxyProtocol": "HTTPConnect", "transport": socket}
    return {
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        "egressSelections": [*selections, {"name": "cluster", "connection": through}],
    }


def _scheduler(layout: Layout) -> dict[str, Any]:
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {
            "kubeconfig": str(layout.kubeconfig("system:kube-scheduler")),
            "qps": 1000,
            "burst": 2000,
        },
        "leaderElection": {"leaderElect": False},
    }


def _kueue(layout: Layout) -> dict[str, Any]:
    ports = layout.ports
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": "kueue-system",
        "health": {"healthProbeBindAddress": f"127.0.0.1:{ports['kueue-health']}"},
        "metrics": {
            "bindAddress": f"127.0.0.1:{ports['kueue-metrics']}",
            "enableClusterQueueResources": True,
        },
        "webhook": {
            "host": "127.0.0.1",
            "port": ports["kueue-webhooks"],
            "certDir": str(layout.folder / "kueue-certificates"),
        },
        "visibilityServer": {"bindAddress": "127.0.0.1", "bindPort": ports["kueue-visibility"]},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "clientConnection": {"qps": 300, "burst": 500},
        "integrations": {
            "frameworks": ["batch/job", "pod", "deployment", "statefulset", "kubeflow.org/mpijob"]
        },
        "resources": {
            # A fraction is then a whole number, and whole GPUs count in the same quota.
            "transformations": [
                {"input": WHOLE_GPU, "strategy": "Replace", "outputs": {MILLI_GPU: "1000"}}
            ]
        },
    }
