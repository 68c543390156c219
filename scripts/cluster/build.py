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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from . import cache, manifests
from .toolchain import find_go

MPI = manifests.MPI
SNAPSHOTS = "github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller"

PROGRAMS = {
    "kube": ".",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "kueue": "./kueue",
    "snapshot-controller": SNAPSHOTS,
    "mpi-operator": "./mpi",
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
    overlay = _overlay(modules, unfinished)
    for name, package in PROGRAMS.items():
        program = unfinished / "bin" / name
        if not program.exists():
            started = time.monotonic()
            go.build(package, program, overlay)
            print(f"  {name} ({time.monotonic() - started:.0f} s)", flush=True)
    manifests.collect(modules, unfinished / "manifests")
    unfinished.rename(target)


def _overlay(modules: Mapping[str, Path], folder: Path) -> Path:
    """Add main packages to our module that have other constants than their own modules'.

    Kueue has another folder for the certificates of its metrics; the MPI Operator answers for its
    health at any free port of this machine only. Returns the path of the list of such files that
    `go build -overlay` takes.
    """
    kueue, operator = modules["sigs.k8s.io/kueue"] / "cmd/kueue", modules[MPI] / "cmd/mpi-operator"
    ours = cache.SOURCES
    changes = (
        (
            kueue / "main.go",
            ours / "kueue/main.go",
            ('"/etc/kueue/metrics/certs"', f'"{CERTIFICATES}"'),
        ),
        (
            operator / "main.go",
            ours / "mpi/main.go",
            (f'"{MPI}/cmd/mpi-operator/app"', '"cluster/mpi/app"'),
        ),
        (
            operator / "app/server.go",
            ours / "mpi/app/server.go",
            ('fmt.Sprintf(":%d", healthCheckPort)', '"127.0.0.1:0"'),
        ),
    )
    files = {
        str(target): str(_changed(source, folder / f"overlay-{number}.go", *change))
        for number, (source, target, change) in enumerate(changes)
    }
    path = folder / "overlay.json"
    path.write_text(json.dumps({"Replace": files}), encoding="utf-8")
    return path


def _changed(source: Path, target: Path, old: str, new: str) -> Path:
    """Write a file with one change, and return its path. Raises ValueError."""
    text = source.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{source} does not contain {old} once: has it changed?")
    target.write_text(text.replace(old, new), encoding="utf-8")
    return target


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
            "GOGC": "400",  # a seventh less time for a few GB of memory
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
