"""Routes of session hosts to JupyterLab's or the Hub's proxy, as the administrator creates them.

Sessions themselves have no route: the session proxy in JupyterLab knows the caller and adds the
token (docs/ingress.md, `c.GpuQuota.ingress_host`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..labels import MANAGED_BY, MANAGER


@dataclass(frozen=True, slots=True)
class SessionHosts:
    """The hosts of sessions, and the Service that serves them.

    `hosts` is the value of `c.GpuQuota.ingress_host`. `path` is `/user/` behind a JupyterHub, whose
    own pages must not be served at hosts of sessions.
    """

    hosts: str
    namespace: str
    service: str
    port: int
    path: str = "/"
    name: str = "gpu-session-hosts"

    @property
    def wildcard(self) -> str:
        """The host of the route: one label may vary, whatever of it names the session."""
        host = self.hosts.partition(":")[0]
        return f"*.{host.split('.', 1)[1]}"


def ingress(route: SessionHosts, tls_secret: str, class_name: str = "") -> dict[str, Any]:
    """Return the Ingress (`networking.k8s.io/v1`) of session hosts."""
    service = {"name": route.service, "port": {"number": route.port}}
    path = {"path": route.path, "pathType": "Prefix", "backend": {"service": service}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": _metadata(route),
        "spec": {
            **({"ingressClassName": class_name} if class_name else {}),
            "rules": [{"host": route.wildcard, "http": {"paths": [path]}}],
            "tls": [{"hosts": [route.wildcard], "secretName": tls_secret}],
        },
    }


def http_route(route: SessionHosts, gateway: str) -> dict[str, Any]:
    """Return the HTTPRoute (`gateway.networking.k8s.io/v1`) of session hosts.

    `gateway` is the name of a Gateway, or its namespace, a slash and its name; it has the
    certificate.
    """
    *namespace, name = gateway.split("/", 1)
    parent = {"name": name, **({"namespace": namespace[0]} if namespace else {})}
    rule = {
        "matches": [{"path": {"type": "PathPrefix", "value": route.path}}],
        "backendRefs": [{"name": route.service, "port": route.port}],
        # A kernel's channel and a large upload take as long as they take.
        "timeouts": {"request": "0s", "backendRequest": "0s"},
    }
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": _metadata(route),
        "spec": {"parentRefs": [parent], "hostnames": [route.wildcard], "rules": [rule]},
    }


def _metadata(route: SessionHosts) -> dict[str, Any]:
    labels = {MANAGED_BY: MANAGER}
    return {"name": route.name, "namespace": route.namespace, "labels": labels}
