"""Who the API server of the test cluster knows, and their kubeconfigs."""

from __future__ import annotations

import csv
import secrets
from collections.abc import Mapping
from pathlib import Path

import yaml

MASTERS = "system:masters"

PEOPLE: Mapping[str, tuple[str, ...]] = {
    "admin": (MASTERS,),
    "alice": ("team-a",),
    "bob": ("team-b",),
    "carol": ("team-a", "team-leads"),
}
"""People and their groups."""

PROGRAMS: Mapping[str, tuple[str, ...]] = {
    # Its own role is too small unless each controller has a service account.
    "system:kube-controller-manager": (MASTERS,),
    "system:kube-scheduler": (),
    "kwok": (MASTERS,),
    "kueue": (MASTERS,),
    "kubelet": (MASTERS,),
    "mpi-operator": (MASTERS,),
    "storage": (MASTERS,),
}


def file_of(user: str) -> str:
    """Return the name of a user's kubeconfig."""
    return f"{user.removeprefix('system:')}.kubeconfig"


def write(folder: Path, server: str, ca: Path) -> Path:
    """Write a kubeconfig for each user, and return the path of the API server's list of tokens."""
    table = folder / "tokens.csv"
    table.touch(0o600)
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        for user, groups in {**PEOPLE, **PROGRAMS}.items():
            token = secrets.token_hex(24)
            rows.writerow([token, user, user, ",".join(groups)])
            kubeconfig(folder / file_of(user), server, ca, token)
    return table


def kubeconfig(path: Path, server: str, ca: Path, token: str, name: str = "test") -> Path:
    """Write a kubeconfig with one context, and return its path."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": name, "cluster": {"server": server, "certificate-authority": str(ca)}}
        ],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    path.touch(0o600)
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path
