"""Fill a new API server: kinds, stages, nodes, roles, and Kueue's webhooks."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from . import manifests
from .labels import POD
from .layout import Layout
from .manifests import Manifest
from .parts import KWOK_KINDS
from .rest import Refused, Rest

OBJECTS = Path(__file__).with_name("objects")
PATIENCE = 180.0
"""Seconds to wait for anything, on a busy machine, too."""

EXEMPT = ["kube-system", "kueue-system"]
"""Namespaces whose workloads Kueue's webhooks do not see."""

USED_KINDS = {
    "kwok.x-k8s.io": KWOK_KINDS,
    "gateway.networking.k8s.io": ("GatewayClass", "Gateway", "HTTPRoute"),
}
"""Kinds of groups of which not all are used."""

LEFT_OUT = ("pod-complete",)
"""Stages that do not apply: a Job's pod runs until a test or its process ends it."""


def wait_for(holds: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait until a call succeeds and its result is true. Raises TimeoutError."""
    deadline, last = time.monotonic() + seconds, ""
    while time.monotonic() < deadline:
        try:
            if holds():
                return
        except (Refused, OSError) as error:
            last = f" ({error})"
        time.sleep(0.1)
    raise TimeoutError(f"{what}: not after {seconds:.0f} s{last}")


def install_kinds(rest: Rest, layout: Layout, groups: Sequence[str]) -> None:
    """Create the kinds of some groups of manifests, and wait until they are served."""
    found = [
        manifest
        for group in groups
        for manifest in manifests.collected(layout.build, group)
        if _is_used(manifest)
    ]
    with ThreadPoolExecutor(len(found)) as pool:
        list(pool.map(rest.apply, (_reachable(manifest, layout) for manifest in found)))
    for manifest in found:
        path, name = rest.path_of(manifest), manifest["metadata"]["name"]
        wait_for(partial(_has, rest, path, "Established"), f"{name} is served")


def _is_used(manifest: Manifest) -> bool:
    """Return whether a manifest is of a kind that somebody uses: each costs the server time."""
    if manifest["kind"] != "CustomResourceDefinition":
        return False
    group, kind = manifest["spec"]["group"], manifest["spec"]["names"]["kind"]
    return kind in USED_KINDS.get(group, (kind,))


def install_nodes(rest: Rest, layout: Layout) -> None:
    """Create KWOK's stages, the policy for real processes, and the nodes."""
    for group in ("stages-node", "stages-pod", "stages-volume"):
        for stage in manifests.collected(layout.build, group):
            if stage["metadata"]["name"] not in LEFT_OUT:
                rest.apply(_only_fake_pods(stage))
    for manifest in manifests.read(OBJECTS / "processes.yaml"):
        rest.apply(manifest)
    for node in manifests.read(OBJECTS / "nodes.yaml"):
        rest.create(node)


def install_storage(rest: Rest) -> None:
    """Create the classes of the storage driver."""
    for manifest in manifests.read(OBJECTS / "storage.yaml"):
        rest.apply(manifest)


def wait_for_nodes(rest: Rest) -> None:
    """Wait until every node is ready."""

    def ready() -> bool:
        nodes = rest.get("/api/v1/nodes")["items"]
        return all(_condition(node, "Ready") and not node["spec"].get("taints") for node in nodes)

    wait_for(ready, "nodes are ready")


def install_roles(rest: Rest, layout: Layout) -> None:
    """Create Kueue's roles, which become parts of the cluster's own ones."""
    for manifest in manifests.collected(layout.build, "kueue-roles"):
        rest.apply(manifest)


def install_kueue(rest: Rest, layout: Layout) -> None:
    """Create Kueue's webhooks and visibility API, once it answers itself."""
    for manifest in manifests.collected(layout.build, "kueue-webhooks"):
        rest.apply(_reachable(manifest, layout))
    for manifest in _visibility(layout.ports["kueue-visibility"]):
        rest.apply(manifest)
    wait_for(
        lambda: rest.get("/apis/visibility.kueue.x-k8s.io/v1beta2"),
        "Kueue's visibility API answers",
    )


def kueue_namespace() -> Manifest:
    """Return the namespace that Kueue's own objects are in."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}}


def _has(rest: Rest, path: str, name: str) -> bool:
    return _condition(rest.get(path), name)


def _condition(item: Manifest, name: str) -> bool:
    found: Iterable[Manifest] = item.get("status", {}).get("conditions") or ()
    return any(entry["type"] == name and entry["status"] == "True" for entry in found)


def _only_fake_pods(stage: Manifest) -> Manifest:
    """Make a stage of pods pass over those that are real processes."""
    if stage["kind"] == "Stage" and stage["spec"]["resourceRef"]["kind"] == "Pod":
        rule = {"key": f'.metadata.labels["{POD}"]', "operator": "DoesNotExist"}
        stage["spec"]["selector"]["matchExpressions"].append(rule)
    return stage


def _reachable(manifest: Manifest, layout: Layout) -> Manifest:
    """Point webhooks at Kueue's process; no Service reaches it. Kinds have one version each."""
    authority = base64.b64encode((layout.keys / "ca.crt").read_bytes()).decode()
    base = f"https://127.0.0.1:{layout.ports['kueue-webhooks']}"
    if manifest["kind"] == "CustomResourceDefinition":
        spec = manifest["spec"]
        spec.pop("conversion", None)
        # Of each version the server keeps a cache, and has Kueue convert each change for it.
        spec["versions"] = [each for each in spec["versions"] if each["storage"]]
    for webhook in manifest.get("webhooks", []):
        path = webhook["clientConfig"]["service"]["path"]
        webhook["clientConfig"] = {"url": f"{base}{path}", "caBundle": authority}
        groups = {group for rule in webhook["rules"] for group in rule["apiGroups"]}
        if groups & {"", "apps", "batch"}:
            rule = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": EXEMPT}
            webhook["namespaceSelector"] = {"matchExpressions": [rule]}
    return manifest


def _visibility(port: int) -> list[Manifest]:
    """Return what serves Kueue's second API under the API server's address."""
    name, namespace = "visibility-server", "kueue-system"
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "type": "ExternalName",
                "externalName": "localhost",
                "ports": [{"port": port}],
            },
        },
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": "v1beta2.visibility.kueue.x-k8s.io"},
            "spec": {
                "group": "visibility.kueue.x-k8s.io",
                "version": "v1beta2",
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
                "insecureSkipTLSVerify": True,
                "service": {"name": name, "namespace": namespace, "port": port},
            },
        },
    ]
