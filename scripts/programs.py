"""Builds programs from the Go module proxy, once for each version: `python -m scripts.programs`.

They are kept outside the checkout. Go checks their sources against its checksum database.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from pathlib import Path

from scripts.cluster import cache, toolchain

VERSITYGW = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
HELM = "helm.sh/helm/v3/cmd/helm@v3.21.4"
RCLONE = "github.com/rclone/rclone@v1.76.0"


def root() -> Path:
    """Return the folder of all builds."""
    return cache.root().with_name("programs")


def program(package: str) -> Path:
    """Return where the program of a package is, built or not."""
    path, _, version = package.partition("@")
    # A major version is not part of a program's name.
    name = re.sub(r"/v\d+$", "", path).rpartition("/")[2]
    return root() / f"{name}-{version}" / name


def ensure_built(package: str) -> Path:
    """Return the program of a package; build it if it is missing (a minute or two)."""
    target = program(package)
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with (root() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _build(package, target)
    return target


def _build(package: str, target: Path) -> None:
    print(f"Building {package} in {target.parent}", flush=True)
    go = toolchain.find_go(cache.root())
    unfinished = target.parent / "unfinished"
    environment = {
        **os.environ,
        "CGO_ENABLED": "0",
        "GOBIN": str(unfinished),
        "GOFLAGS": "-buildvcs=false -trimpath",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }
    subprocess.run([go, "install", "-ldflags=-s -w", package], env=environment, check=True)
    (unfinished / target.name).rename(target)


if __name__ == "__main__":
    for each in (VERSITYGW, HELM):
        ensure_built(each)
