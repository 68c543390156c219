"""What the pages in `docs/engines` show, beside what the product makes for the same request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import yaml

from jupyter_gpuquota.kubernetes.builders.defaults import Parts
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.engines.engine import EnginePatch
from jupyter_gpuquota.kubernetes.engines.kai.queues import KAI, RUNAI, Scheduler
from jupyter_gpuquota.kubernetes.engines.kai.workloads import CLASSES, PREEMPTIBILITY
from jupyter_gpuquota.kubernetes.engines.kueue.engine import PRIORITY_LABEL, QUEUE_LABEL
from jupyter_gpuquota.kubernetes.engines.surroundings import MILLI_RESOURCE
from jupyter_gpuquota.kubernetes.nodes import NO_DEVICES, NodeSettings, read_nodes
from jupyter_gpuquota.kubernetes.objects.cluster import KubeNode
from jupyter_gpuquota.kubernetes.objects.devices import DeviceObjects, ResourceSlice
from jupyter_gpuquota.kubernetes.shares.gpu_node import Division
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.shares.registry import Choice, Shares
from jupyter_gpuquota.model.resources import Share
from tests.builders import make_session
from tests.kubernetes.gpu_nodes import ack, hami, make_node, mig_mixed, mps, whole
from tests.kubernetes.gpu_slices import INSTANCES, WHOLE, of_node

PAGES = Path(__file__).parents[2] / "docs" / "engines"
HEADING = "## What a session requests"
SESSION = make_session("exp-1", image="quay.io/jupyter/minimal-notebook", environment="")


@dataclass(frozen=True)
class Request:
    """A request of a page, on a node and with what the engine adds."""

    share: Share
    node: KubeNode
    engine: EnginePatch = field(default_factory=EnginePatch)
    divides: Division = ""
    devices: DeviceObjects = NO_DEVICES


def of_queue(scheduler: Scheduler) -> EnginePatch:
    """Return what KAI's engine adds to an interactive session, tested in `kai/test_engine.py`."""
    labels = {
        scheduler.queue_label: "team-a",
        "priorityClassName": CLASSES["interactive"],
        PREEMPTIBILITY: "non-preemptible",
    }
    return EnginePatch(labels=labels, pod_labels=labels, scheduler=scheduler.name)


KUEUE = EnginePatch(labels={QUEUE_LABEL: "interactive", PRIORITY_LABEL: "interactive"})
CLAIMED = DeviceObjects((msgspec.convert(of_node(*WHOLE, *INSTANCES), ResourceSlice),))
COUNTED = make_node("n1", {MILLI_RESOURCE: "8k"})

REQUESTS: Mapping[str, Request] = {
    "kai": Request(Share(milli=500), whole(), of_queue(KAI), "counted"),
    "runai": Request(Share(milli=500), whole(), of_queue(RUNAI), "runai"),
    "kueue": Request(Share(milli=500), COUNTED, KUEUE),
    "resourcequota": Request(Share(milli=1000), whole()),
    "hami": Request(Share(milli=500, compute=30), hami()),
    "ack": Request(Share(memory=4096, compute=30), ack(mode="core_mem")),
    "mig": Request(Share(mig="1g.5gb"), mig_mixed()),
    "device-plugin": Request(Share(milli=500), mps()),
    "dra": Request(Share(mig="1g.5gb"), make_node("n1"), devices=CLAIMED),
}
"""The request of each page."""


def patch_of(request: Request) -> PodPatch:
    """Return what the share of a request adds to a pod."""
    settings = NodeSettings(counted=MILLI_RESOURCE, divides=request.divides)
    read = read_nodes([request.node], settings, request.devices)
    choice = Shares().choose(request.share, list(read.gpus.values()))
    assert isinstance(choice, Choice)
    return choice.patch()


def made(request: Request) -> dict[str, Any]:
    """Return the workload of a session, with only what engine and share have to do with."""
    session, share, engine = SESSION, patch_of(request), request.engine
    found = workload(session, Parts(engine=engine, share=share))
    template, selected = found["spec"]["template"], found["spec"]["selector"]["matchLabels"]
    container = template["spec"]["containers"][0]
    env = [each for each in container["env"] if each["name"] in share.env]
    kept = ("schedulerName", "tolerations", "affinity", "resourceClaims")
    labels = {name: found["metadata"]["labels"][name] for name in engine.labels}
    pod_labels = dict.fromkeys((*selected, *engine.pod_labels, *share.labels))
    meta = {
        "labels": {name: template["metadata"]["labels"][name] for name in pod_labels},
        "annotations": {
            name: template["metadata"]["annotations"][name] for name in share.annotations
        },
    }
    spec = {name: template["spec"][name] for name in kept if name in template["spec"]}
    shown = {
        "name": container["name"],
        "image": container["image"],
        "resources": container.get("resources", {}),
        "env": env,
    }
    spec["containers"] = [_filled(shown)]
    return {
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
        "metadata": _filled({"name": found["metadata"]["name"], "labels": labels}),
        "spec": {
            "serviceName": found["spec"]["serviceName"],
            "selector": found["spec"]["selector"],
            "template": {"metadata": _filled(meta), "spec": spec},
        },
    }


def documented(page: str) -> dict[str, Any]:
    """Return the manifest of a session on a page."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8").partition(HEADING)[2]
    found: dict[str, Any] = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    return found


def manifests(page: str) -> Iterator[dict[str, Any]]:
    """Yield all objects on a page; other blocks, such as configurations, have no kind."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    for block in text.split("```yaml\n")[1:]:
        for found in yaml.safe_load_all(block.partition("```")[0]):
            if "kind" in found:
                yield found


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
