"""Names of a session's objects and of what is in them, and prefixes of users' names."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.sessions import Session

PREFIX = "gpu-"
"""What the names of all objects of sessions begin with."""
NAME_LIMIT = 48
"""Longest name of a session: pods of a StatefulSet have a label with the name of the workload, a
hyphen and ten characters, of at most 63 (https://github.com/kubernetes/kubernetes/issues/64023)."""
TOKEN_KEY = "token"  # noqa: S105 (the name of a key)
"""The key of a session's Secret with the token of its Jupyter Server."""
OWNER_TOKEN_KEY = "owner-token"  # noqa: S105 (the same)
"""The key with what the session's programs send to the controller."""
CA_KEY = "controller-ca.pem"
"""The key with what verifies the controller's certificate."""
JUPYTER_PORT = 8888
"""The port of a session's Jupyter Server, in its pod and its Service."""

PREFIXES: Mapping[str, str] = {"kubernetes": "", "jupyterhub": "hub:", "token": "token:"}
"""What is put before names and groups, by how a caller was identified.

Only the cluster's own names have no prefix: a user of the Hub must not become the cluster's user of
the same name.
"""


def object_name(session: Session) -> str:
    """Return the name of a session's workload, Service, Secret and NetworkPolicy."""
    return PREFIX + session.spec.name


def service_host(session: Session) -> str:
    """Return the host of a session's Service inside the cluster."""
    return f"{object_name(session)}.{session.spec.project}.svc"
