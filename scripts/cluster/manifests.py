"""Which manifests of which module belong to a build, and how they are read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

Manifest = dict[str, Any]

MPI = "github.com/kubeflow/mpi-operator"
TRAINER = "github.com/kubeflow/trainer/v2"
SNAPSHOTS = "github.com/kubernetes-csi/external-snapshotter/client/v8"

SOURCES = {
    "kwok-crds": ("sigs.k8s.io/kwok", "kustomize/crd/bases/*.yaml"),
    "stages-node": ("sigs.k8s.io/kwok", "kustomize/stage/node/fast/node-*.yaml"),
    "stages-pod": ("sigs.k8s.io/kwok", "kustomize/stage/pod/fast/pod-*.yaml"),
    "stages-volume": ("sigs.k8s.io/kwok", "kustomize/stage/volume/fast/*-*.yaml"),
    "kueue-crds": ("sigs.k8s.io/kueue", "config/components/crd/bases/*.yaml"),
    "kueue-roles": ("sigs.k8s.io/kueue", "config/components/rbac/*[rw]_role.yaml"),
    "kueue-webhooks": ("sigs.k8s.io/kueue", "config/components/webhook/manifests.yaml"),
    "snapshot-crds": (SNAPSHOTS, "config/crd/*snapshot*.yaml"),
    "mpi-crds": (MPI, "manifests/base/kubeflow.org_*.yaml"),
    "trainer-crds": (TRAINER, "manifests/base/crds/trainer.kubeflow.org_*.yaml"),
    "jobset-crds": ("sigs.k8s.io/jobset", "config/components/crd/bases/*.yaml"),
    "gateway-crds": ("sigs.k8s.io/gateway-api", "config/crd/standard/*.yaml"),
}
"""The files of a group: module and pattern."""


def collect(modules: Mapping[str, Path], target: Path) -> None:
    """Collect the manifests from the modules' folders: one file of JSON a group, quick to read.

    Raises FileNotFoundError if a module has none where they are expected.
    """
    target.mkdir(exist_ok=True)
    for group, (module, pattern) in SOURCES.items():
        files = sorted(modules[module].glob(pattern))
        if not files:
            raise FileNotFoundError(f"{module} has no {pattern}: has a new version moved it?")
        objects = [found for file in files for found in read(file)]
        (target / f"{group}.json").write_text(json.dumps(objects), encoding="utf-8")


def collected(build: Path, group: str) -> list[Manifest]:
    """Return the manifests of a group of a build."""
    text = (build / "manifests" / f"{group}.json").read_text(encoding="utf-8")
    found: list[Manifest] = json.loads(text)
    return found


def read(file: Path) -> Iterator[Manifest]:
    """Yield the objects of a YAML file; lists are unpacked."""
    for document in yaml.safe_load_all(file.read_text(encoding="utf-8")):
        if document:
            yield from document["items"] if document["kind"] == "List" else [document]
