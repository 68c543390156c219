"""What has to be there before a container's process starts."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...ports import free_ports
from . import containers
from .containers import Lookup, Program, Translation

Json = dict[str, Any]


@dataclass(frozen=True)
class Launch:
    """A container's process with its whole environment, and the real port of each of its ports."""

    program: Program
    environment: Mapping[str, str]
    ports: Mapping[int, int]


def prepare(pod: Json, root: Path, claims: Path, lookup: Lookup) -> Launch:
    """Create the folders and files of a pod's first container, and return how it starts.

    Raises KeyError if a Secret or ConfigMap is missing, or a key of it.
    """
    container = pod["spec"]["containers"][0]
    inside = containers.ports_of(pod)
    free = free_ports(tuple(map(str, inside)))
    ports = {port: free[str(port)] for port in inside}
    folders = containers.mounts(pod, container, root, claims)
    translation = Translation(ports, containers.link_parents(container, folders, root))
    _make_folders(root)
    containers.write_files(pod, root, lookup, translation)
    for folder in folders.values():
        if not folder.exists():  # a subPath may be a file
            folder.mkdir(parents=True)
    variables = containers.environment(pod, container, lookup)
    program = containers.program(container, variables, translation, root)
    environment = _allow_root({**_of_an_image(root), **program.environment}, root)
    return Launch(program, environment, ports)


def _of_an_image(root: Path) -> dict[str, str]:
    """Return what an image would set: our virtual environment, and a home folder."""
    programs = Path(sys.executable).parent
    return {
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(root / "home"),
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
        "TMPDIR": str(root / "tmp"),
    }


def _allow_root(environment: Mapping[str, str], root: Path) -> dict[str, str]:
    """Let Jupyter run as root, if that is who we are; in a container somebody else is."""
    if os.geteuid() != 0:
        return dict(environment)
    paths = (environment.get("JUPYTER_CONFIG_PATH", ""), str(root / "config"))
    return {**environment, "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths))}


def _make_folders(root: Path) -> None:
    """Create the folders of an image that are not volumes."""
    for name in ("home", "tmp", "work", "config"):
        (root / name).mkdir(parents=True, exist_ok=True)
    allow = '{"ServerApp": {"allow_root": true}}'
    (root / "config" / "jupyter_server_config.json").write_text(allow, encoding="utf-8")
