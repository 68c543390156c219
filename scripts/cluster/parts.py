"""The programs of a test cluster, with their flags. Every listener is on 127.0.0.1."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .layout import Layout

PODS = "198.18.0.0/16"
"""Addresses of KWOK's pods, from a range that is reserved for tests (RFC 2544)."""

KWOK_KINDS = (
    "Stage",
    "PortForward",
    "ClusterPortForward",
    "Logs",
    "ClusterLogs",
    "Exec",
    "ClusterExec",
)

UNUSED_CONTROLLERS = (
    "bootstrap-signer-controller",
    "cronjob-controller",
    "daemonset-controller",
    "endpointslice-mirroring-controller",
    "horizontal-pod-autoscaler-controller",
    "legacy-serviceaccount-token-cleaner-controller",
    "replicationcontroller-controller",
    "token-cleaner-controller",
    "ttl-controller",
)
"""Controllers of kinds that neither tests nor the product use: each watches, and some write."""

GO = {"GOGC": "800", "GOMEMLIMIT": "1GiB"}
"""Memory instead of processor time: Go collects garbage when a heap is nine times as large."""


@dataclass(frozen=True, slots=True)
class Part:
    """A program: its command, and the variables of its environment besides those of the system.

    One that `restarts` ends without its lease, and is started again, as a Deployment does.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    restarts: bool = False


def parts(layout: Layout) -> dict[str, Part]:
    """Return all programs by name, in the order in which they start."""
    programs = layout.build / "bin"
    kube, made = str(programs / "kube"), {}
    made["etcd"] = Part((kube, "etcd", *_flags(_etcd(layout))), GO)
    made["apiserver"] = Part((kube, "kube-apiserver", *_flags(_apiserver(layout))), GO)
    made["controller-manager"] = Part(
        (kube, "kube-controller-manager", *_flags(_controller_manager(layout))), GO
    )
    made["scheduler"] = Part((kube, "kube-scheduler", *_flags(_scheduler(layout))), GO)
    made["kwok"] = Part((str(programs / "kwok"), *_flags(_kwok(layout))), GO)
    made["kueue"] = Part((str(programs / "kueue"), *_flags(_kueue(layout))), GO)
    made["snapshot-controller"] = Part(
        (str(programs / "snapshot-controller"), *_flags(_snapshots(layout))), GO
    )
    made["mpi-operator"] = Part(
        (str(programs / "mpi-operator"), *_flags(_mpi(layout))), GO, restarts=True
    )
    root = str(Path(__file__).resolve().parents[2])
    for name in ("kubelet", "storage"):
        program = ("-m", f"scripts.cluster.{name}", str(layout.folder))
        made[name] = Part((sys.executable, *program), {"PYTHONPATH": root})
    return made


def _flags(values: Mapping[str, object]) -> list[str]:
    return [f"--{name}={value}" for name, value in values.items()]


def _etcd(layout: Layout) -> dict[str, object]:
    client = f"http://127.0.0.1:{layout.ports['etcd']}"
    peer = f"http://127.0.0.1:{layout.ports['etcd-peer']}"
    return {
        "name": "test",
        "data-dir": layout.folder / "etcd",
        "listen-client-urls": client,
        "advertise-client-urls": client,
        "listen-peer-urls": peer,
        "initial-advertise-peer-urls": peer,
        "initial-cluster": f"test={peer}",
        "unsafe-no-fsync": "true",
        "log-level": "warn",
    }


def _apiserver(layout: Layout) -> dict[str, object]:
    keys = layout.keys
    return {
        "bind-address": "127.0.0.1",
        "secure-port": layout.ports["api"],
        # Endpoints must not be loopback addresses: publish none.
        "advertise-address": "127.0.0.1",
        "endpoint-reconciler-type": "none",
        "etcd-servers": f"http://127.0.0.1:{layout.ports['etcd']}",
        "service-cluster-ip-range": "10.96.0.0/16",
        "authorization-mode": "RBAC",
        "token-auth-file": layout.conf / "tokens.csv",
        "client-ca-file": keys / "ca.crt",
        "tls-cert-file": keys / "apiserver.crt",
        "tls-private-key-file": keys / "apiserver.key",
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-key-file": keys / "service-accounts.key",
        "service-account-signing-key-file": keys / "service-accounts.key",
        "kubelet-client-certificate": keys / "kubelet-client.crt",
        "kubelet-client-key": keys / "kubelet-client.key",
        "kubelet-preferred-address-types": "InternalIP",
        "requestheader-client-ca-file": keys / "ca.crt",
        "requestheader-allowed-names": "front-proxy-client",
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-username-headers": "X-Remote-User",
        "proxy-client-cert-file": keys / "front-proxy.crt",
        "proxy-client-key-file": keys / "front-proxy.key",
        "egress-selector-config-file": layout.conf / "egress.yaml",
        "enable-priority-and-fairness": "false",
        "max-requests-inflight": 2000,
        "max-mutating-requests-inflight": 1000,
        "shutdown-delay-duration": "0s",
    }


def _controller_manager(layout: Layout) -> dict[str, object]:
    kubeconfig = layout.kubeconfig("system:kube-controller-manager")
    return {
        "kubeconfig": kubeconfig,
        "authentication-kubeconfig": kubeconfig,
        "authorization-kubeconfig": kubeconfig,
        "bind-address": "127.0.0.1",
        "secure-port": layout.ports["controller-manager"],
        "leader-elect": "false",
        "service-account-private-key-file": layout.keys / "service-accounts.key",
        "root-ca-file": layout.keys / "ca.crt",
        "cluster-signing-cert-file": layout.keys / "ca.crt",
        "cluster-signing-key-file": layout.keys / "ca.key",
        "kube-api-qps": 1000,
        "kube-api-burst": 2000,
        "concurrent-statefulset-syncs": 20,
        "concurrent-namespace-syncs": 20,
        "controllers": ",".join(("*", *(f"-{name}" for name in UNUSED_CONTROLLERS))),
        # Nodes stay ready although nothing renews their leases.
        "node-monitor-grace-period": "240h",
    }


def _scheduler(layout: Layout) -> dict[str, object]:
    kubeconfig = layout.kubeconfig("system:kube-scheduler")
    return {
        "config": layout.conf / "scheduler.yaml",
        "authentication-kubeconfig": kubeconfig,
        "authorization-kubeconfig": kubeconfig,
        "bind-address": "127.0.0.1",
        "secure-port": layout.ports["scheduler"],
    }


def _kwok(layout: Layout) -> dict[str, object]:
    port = layout.ports["kwok"]
    return {
        "kubeconfig": layout.kubeconfig("kwok"),
        "manage-all-nodes": "false",
        "manage-nodes-with-annotation-selector": "kwok.x-k8s.io/node=fake",
        "cidr": PODS,
        "node-ip": "127.0.0.1",
        "node-port": port,
        "server-address": f"127.0.0.1:{port}",
        "tls-cert-file": layout.keys / "tls.crt",
        "tls-private-key-file": layout.keys / "tls.key",
        "node-lease-duration-seconds": 0,
        "enable-crds": ",".join(KWOK_KINDS),
    }


def _kueue(layout: Layout) -> dict[str, object]:
    return {
        "kubeconfig": layout.kubeconfig("kueue"),
        "config": layout.conf / "kueue.yaml",
        "zap-log-level": "info",
    }


def _snapshots(layout: Layout) -> dict[str, object]:
    return {
        "kubeconfig": layout.kubeconfig("system:kube-controller-manager"),
        "http-endpoint": f"127.0.0.1:{layout.ports['snapshots']}",
        "feature-gates": "CSIVolumeGroupSnapshot=true",
    }


def _mpi(layout: Layout) -> dict[str, object]:
    return {
        "kubeConfig": layout.kubeconfig("mpi-operator"),
        "lock-namespace": "kube-system",
        "kube-api-qps": 100,
        "kube-api-burst": 200,
    }
