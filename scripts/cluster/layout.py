"""The folder of one running test cluster."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .users import file_of

PORTS = (
    "api",
    "etcd",
    "etcd-peer",
    "controller-manager",
    "scheduler",
    "kwok",
    "kueue-webhooks",
    "kueue-health",
    "kueue-metrics",
    "kueue-visibility",
    "snapshots",
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things are. The folder's path must be short, as sockets are in it."""

    folder: Path
    build: Path
    ports: Mapping[str, int]

    @classmethod
    def load(cls, folder: Path) -> Layout:
        """Return the layout of a cluster in a folder. Raises FileNotFoundError if none is there."""
        file = folder / "cluster.json"
        if not file.exists():
            raise FileNotFoundError(f"There is no test cluster in {folder}.")
        read = json.loads(file.read_text(encoding="utf-8"))
        return cls(folder, Path(read["build"]), read["ports"])

    def save(self) -> None:
        """Create the folders, and write down what `load` reads."""
        for made in (self.conf, self.keys, self.logs, self.pods):
            made.mkdir(parents=True, exist_ok=True, mode=0o700)
        content = {"build": str(self.build), "ports": dict(self.ports)}
        (self.folder / "cluster.json").write_text(json.dumps(content), encoding="utf-8")

    @property
    def server(self) -> str:
        """Return the address of the API server."""
        return f"https://127.0.0.1:{self.ports['api']}"

    @property
    def conf(self) -> Path:
        """Return the folder of configuration files and kubeconfigs."""
        return self.folder / "conf"

    @property
    def keys(self) -> Path:
        """Return the folder of keys and certificates."""
        return self.folder / "keys"

    @property
    def logs(self) -> Path:
        """Return the folder of logs."""
        return self.folder / "log"

    @property
    def pods(self) -> Path:
        """Return the folder of pods that are real processes."""
        return self.folder / "pods"

    @property
    def control(self) -> Path:
        """Return the socket that takes commands."""
        return self.folder / "control.sock"

    @property
    def egress(self) -> Path:
        """Return the socket that the API server reaches pods through."""
        return self.folder / "egress.sock"

    def kubeconfig(self, user: str) -> Path:
        """Return the kubeconfig of a user."""
        return self.conf / file_of(user)
