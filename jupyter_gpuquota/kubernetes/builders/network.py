"""How a session is reached: its Service and its NetworkPolicy."""

from __future__ import annotations

from typing import Any

from ...model.sessions import Session
from ..names import JUPYTER_PORT
from ..resources import NETWORK_POLICIES, SERVICES
from .defaults import PodDefaults
from .metadata import manifest, selector_of


def ports(session: Session) -> dict[int, str]:
    """Return the names of a session's ports by number."""
    found = {port: f"port-{port}" for port in session.spec.ports}
    return {**found, JUPYTER_PORT: "jupyter"} if session.spec.serves_jupyter else found


def service(session: Session) -> dict[str, Any]:
    """Return the headless Service: the DNS names of the session's pods.

    Several processes look each other up before any of them is ready.
    """
    listed = [
        {"name": name, "port": port, "targetPort": port, "protocol": "TCP"}
        for port, name in ports(session).items()
    ]
    spec: dict[str, Any] = {"clusterIP": "None", "selector": selector_of(session)}
    if session.spec.processes > 1:
        spec["publishNotReadyAddresses"] = True
    return manifest(SERVICES, session, spec={**spec, **({"ports": listed} if listed else {})})


def network_policy(session: Session, defaults: PodDefaults) -> dict[str, Any]:
    """Return the NetworkPolicy: only the proxy reaches the session. It may reach anything.

    Where no proxy is configured nobody does: port-forwards reach a pod from inside. The processes
    of a training reach each other at any port.
    """
    allowed = [{"port": port, "protocol": "TCP"} for port in ports(session)]
    rules = [{"from": [dict(peer) for peer in defaults.proxy], "ports": allowed}]
    ingress = rules if defaults.proxy and allowed else []
    if session.spec.processes > 1:
        ingress = [*ingress, {"from": [{"podSelector": {"matchLabels": selector_of(session)}}]}]
    spec = {
        "podSelector": {"matchLabels": selector_of(session)},
        "policyTypes": ["Ingress"],
        "ingress": ingress,
    }
    return manifest(NETWORK_POLICIES, session, spec=spec)
