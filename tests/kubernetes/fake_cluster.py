"""Controllers and a kubelet for the fake API server: workloads get pods, deleted pods go."""

from __future__ import annotations

from typing import Any

from jupyter_gpuquota.kubernetes.labels import SESSION
from jupyter_gpuquota.kubernetes.resources import JOBS, PODS, STATEFUL_SETS
from tests.kubernetes.fake_api import FakeApi


class FakeCluster:
    """Does one round of what controllers, scheduler and kubelets do, whenever it is told to.

    `has_room` is false while no node has room, `serves` while what runs does not become ready;
    `is_slow` is true while pods take long to end.
    """

    def __init__(self, api: FakeApi) -> None:
        self.api = api
        self.has_room = True
        self.serves = True
        self.is_slow = False
        self.started: list[str] = []
        """Sessions whose pods were started, one entry for each pod."""

    def round(self) -> None:
        """Let everything happen that is due."""
        for resource in (STATEFUL_SETS, JOBS):
            for raw in self.api.all(resource):
                self._control(resource, raw)
        for raw in self.api.all(PODS):
            self._run(raw)

    def _control(self, resource: Any, raw: dict[str, Any]) -> None:
        meta, spec = raw["metadata"], raw["spec"]
        wanted = spec.get("replicas", 0) > 0 if resource is STATEFUL_SETS else not spec["suspend"]
        own = [
            pod
            for pod in self.api.all(PODS, meta["namespace"])
            if meta["uid"] in [o["uid"] for o in pod["metadata"].get("ownerReferences", ())]
        ]
        if wanted and not own:
            self._make_pod(raw)
        elif not wanted and not self.is_slow:
            for pod in own:
                self.api.controls.store.delete(PODS, meta["namespace"], pod["metadata"]["name"])
        status = {"observedGeneration": meta["generation"], "replicas": int(wanted)}
        if raw.get("status") != status:
            self.api.put(resource, {**raw, "status": status})

    def _make_pod(self, raw: dict[str, Any]) -> None:
        meta, template = raw["metadata"], raw["spec"]["template"]
        name, namespace = f"{meta['name']}-0", meta["namespace"]
        if any(pod["metadata"]["name"] == name for pod in self.api.all(PODS, namespace)):
            return
        owner = {"kind": raw["kind"], "name": meta["name"], "uid": meta["uid"], "controller": True}
        self.api.put(
            PODS,
            {
                "metadata": {
                    "name": name,
                    "namespace": namespace,
                    "labels": template["metadata"]["labels"],
                    "ownerReferences": [owner],
                },
                "spec": template["spec"],
                "status": {"phase": "Pending"},
            },
        )

    def _run(self, raw: dict[str, Any]) -> None:
        if raw["status"]["phase"] != "Pending" or not self.has_room:
            return
        self.started.append(raw["metadata"]["labels"][SESSION])
        ready = [{"type": "Ready", "status": str(self.serves)}]
        container = {"name": raw["spec"]["containers"][0]["name"], "state": {"running": {}}}
        self.api.put(
            PODS,
            {
                **raw,
                "spec": {**raw["spec"], "nodeName": "node-1"},
                "status": {
                    "phase": "Running",
                    "conditions": ready,
                    "containerStatuses": [container],
                },
            },
        )
