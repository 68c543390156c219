"""Build the programs of the test cluster from the Go module proxy, once for each set of versions.

The result is a folder of the cache that has `bin/` and `manifests/`. It is built under another name
and renamed at the end, so that it is whole wherever it exists. A build that was interrupted goes on
where it ended: Go keeps what it has compiled. Two builds at once wait for each other.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import cache, manifests
from .toolchain import find_go

SNAPSHOTS = "github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller"

PROGRAMS = {
    "kube": ".",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "kueue": "./kueue",
    "snapshot-controller": SNAPSHOTS,
}

CERTIFICATES = "kueue-certificates"
"""Kueue's folder of certificates, in its working folder: its own default is one of root's."""


def ensure_built() -> Path:
    """Return the folder of the build; build what is missing."""
    target = cache.root() / cache.key()
    if not target.exists():
        cache.root().mkdir(parents=True, exist_ok=True)
        with _only_one(cache.root() / "lock"):
            if not target.exists():
                _build(target)
    return target


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(target: Path) -> None:
    print(f"Building the test cluster in {target} (6 to 12 minutes the first time)", flush=True)
    go = Go(find_go(cache.root()))
    unfinished = target.with_name(f"{target.name}.unfinished")
    (unfinished / "bin").mkdir(parents=True, exist_ok=True)
    modules = go.folders()
    overlay = _overlay(modules["sigs.k8s.io/kueue"], unfinished)
    for name, package in PROGRAMS.items():
        program = unfinished / "bin" / name
        if not program.exists():
            started = time.monotonic()
            go.build(package, program, overlay)
            print(f"  {name} ({time.monotonic() - started:.0f} s)", flush=True)
    manifests.collect(modules, unfinished / "manifests")
    unfinished.rename(target)


def _overlay(kueue: Path, folder: Path) -> Path:
    """Give our module Kueue's main package with another folder of certificates for its metrics.

    Returns the path of the list of such additional files that `go build -overlay` takes.
    """
    old = '"/etc/kueue/metrics/certs"'
    source = (kueue / "cmd/kueue/main.go").read_text(encoding="utf-8")
    if source.count(old) != 1:
        raise ValueError(f"Kueue's main.go does not contain {old} once: has it changed?")
    changed = folder / "kueue.go"
    changed.write_text(source.replace(old, f'"{CERTIFICATES}"'), encoding="utf-8")
    files = {str(cache.SOURCES / "kueue/main.go"): str(changed)}
    path = folder / "overlay.json"
    path.write_text(json.dumps({"Replace": files}), encoding="utf-8")
    return path


def _linker_flags() -> str:
    """Return flags that leave out debugging data and set variables of packages."""
    version = cache.versions()["k8s.io/kubernetes"]
    values = {
        "k8s.io/component-base/version.gitVersion": version,
        "k8s.io/component-base/version.gitMajor": "1",
        "k8s.io/component-base/version.gitMinor": version.split(".")[1],
        "sigs.k8s.io/kueue/pkg/visibility.certDir": CERTIFICATES,
    }
    return " ".join(["-s", "-w", *(f"-X {name}={value}" for name, value in values.items())])


class Go:
    """The `go` command in our module."""

    def __init__(self, command: Path) -> None:
        self._command = command
        self._environment = {
            **os.environ,
            "CGO_ENABLED": "0",
            "GOFLAGS": "-mod=readonly -buildvcs=false -trimpath",
            "GOTOOLCHAIN": "local",
            "GOWORK": "off",
        }

    def folders(self) -> dict[str, Path]:
        """Return the folders of the modules that manifests or patches come from; download them."""
        wanted = {module for module, _ in manifests.SOURCES.values()}
        said = self._run("mod", "download", "-json", *sorted(wanted))
        decoder, found, at = json.JSONDecoder(), {}, 0
        while at < len(said.rstrip()):
            module, at = decoder.raw_decode(said, at)
            found[module["Path"]] = Path(module["Dir"])
            at += len(said[at:]) - len(said[at:].lstrip())
        return found

    def build(self, package: str, target: Path, overlay: Path) -> None:
        """Build a program; it appears at `target` when it is whole."""
        part = target.with_name(f"{target.name}.part")
        self._run(
            "build", "-overlay", str(overlay), "-ldflags", _linker_flags(), "-o", str(part), package
        )
        part.rename(target)

    def _run(self, *arguments: str) -> str:
        return subprocess.run(
            [self._command, *arguments],
            cwd=cache.SOURCES,
            env=self._environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
