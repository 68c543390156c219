"""Where builds are kept: in a folder outside the checkout, under the key of their sources."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from . import manifests

SOURCES = Path(__file__).with_name("go")
"""The Go module that everything is built from; its go.mod is the table of versions."""

REVISION = 2
"""Raise it when `build.py` makes something else of the same sources."""

_REQUIREMENT = re.compile(r"^\s*(?P<module>[\w./-]+) (?P<version>v\S+)", re.MULTILINE)


def root() -> Path:
    """Return the folder of all builds."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "jupyter_gpuquota" / "cluster"


def key(sources: Path = SOURCES) -> str:
    """Return a name for the versions and sources of a build: the same for equal ones."""
    digest = hashlib.sha256(f"{REVISION} {manifests.SOURCES}".encode())
    for file in sorted(sources.iterdir()):
        digest.update(f"{file.name}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return f"kubernetes-{versions()['k8s.io/kubernetes']}-{digest.hexdigest()[:16]}"


def versions() -> dict[str, str]:
    """Return the version of each required module."""
    text = (SOURCES / "go.mod").read_text(encoding="utf-8")
    return {found["module"]: found["version"] for found in _REQUIREMENT.finditer(text)}
