"""A small stand-in for KAI Scheduler: it writes what the real one was seen to write.

Pods of a Job that says how many of them start together are bound all at once, or none of them. It
binds pods of `kai-scheduler` to whole GPUs and to parts of them, makes PodGroups and says why it
does not start one, and takes GPUs back for a queue that stays within its quota. Its decisions are
the simplest that have these effects, and none of the product's code makes them.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from scripts.cluster.rest import Refused, Rest

Json = dict[str, Any]

GROUP = "scheduling.run.ai"
RESERVATIONS = "kai-resource-reservation"
SHARED = "runai-gpu-group"
TOGETHER = "kai.scheduler/batch-min-member"
_PERIOD = 0.2
_MEMORY = 32_700
"""MiB of each GPU of the test cluster's nodes, as KAI counts them: in hundreds."""
_FIXED = ("build", "inference")
_NO_NODE = (
    "no nodes with enough resources were found: 2 node(s) didn't have enough resources: GPUs."
)
_TOO_LARGE = (
    "no nodes with enough resources were found: MaxNodePoolResources: The pod {} requires GPU: {}, "
    "CPU: 0 (cores), memory: 0 (GB), pods: 1. Max GPU resources available in a single node in the "
    "default node-pool is topped at {}."
)
_WORDS = {
    "NonPreemptibleOverQuota": "Non-preemptible workload is over quota. Workload requested {more} "
    "GPUs, but {queue} quota is {bound} GPUs, while {used} GPUs are already allocated for "
    "non-preemptible pods. Use a preemptible workload to go over quota.",
    "OverLimit": "{queue} quota has reached the allowable limit of GPUs. Limit is {bound} GPUs, "
    "currently {used} GPUs allocated and workload requested {more} GPUs",
}


_UNBOUNDED = {"cpu": "-1m", "memory": "-1"}


@contextmanager
def scheduling(rest: Rest, namespaces: Sequence[str]) -> Iterator[StandIn]:
    """Schedule the pods of some namespaces until the end."""
    stopped = threading.Event()
    stand_in = StandIn(rest, namespaces)

    def run() -> None:
        while not stopped.wait(_PERIOD):
            with suppress(Refused, OSError):  # what changed meanwhile is seen in the next cycle
                stand_in.cycle()

    thread = threading.Thread(target=run, name="kai")
    thread.start()
    try:
        yield stand_in
    finally:
        stopped.set()
        thread.join()


@dataclass
class Task:
    """One pod: `groups` are the GPUs that it shares, `whole` how many it has alone.

    It has the same `part` of each of so many `devices`.
    """

    pod: Json
    queue: str
    fixed: bool
    whole: int
    part: float
    devices: int = 1
    groups: list[str] = field(default_factory=list)

    @property
    def node(self) -> str:
        """The node that it is bound to, empty if it is not."""
        return str(self.pod["spec"].get("nodeName", ""))

    @property
    def gpus(self) -> float:
        """What it requests."""
        return round(self.whole + self.part * self.devices, 2)

    @property
    def leaves(self) -> bool:
        """Whether it is being deleted."""
        return "deletionTimestamp" in self.pod["metadata"]


class StandIn:
    """The scheduler: everything is read anew in each cycle.

    With `tells` pods are told of their eviction, as by `--update-pod-eviction-condition`.
    """

    def __init__(self, rest: Rest, namespaces: Sequence[str]) -> None:
        self.tells = False
        self._rest = rest
        self._namespaces = namespaces
        self._nodes = _gpu_nodes(rest)
        self._queues: dict[str, Json] = {}
        self._tasks: list[Task] = []
        self._written: dict[tuple[str, str], Json] = {}
        """The status of PodGroups as it was written last."""

    def cycle(self) -> None:
        """Start, or take back for, each pod that waits, and say why the others wait."""
        found = self._rest.get(self._rest.path(f"{GROUP}/v2", "Queue"))["items"]
        self._queues = {each["metadata"]["name"]: each for each in found}
        self._tasks = [task for name in self._namespaces for task in self._read(name)]
        waiting = [t for t in self._tasks if not t.node and not t.leaves]
        for task in sorted(waiting, key=lambda t: (not t.fixed, _created(t.pod), t.gpus)):
            self._try(task)
        self._sweep()

    def _try(self, task: Task) -> None:
        group = self._grouped(task)
        least = self._least(task)
        if task.node:
            return  # with another pod of its Job, in this cycle
        if least > 1:
            self._try_all(task, group, least)
        elif refusal := self._refusal(task):
            self._say(task, group, refusal)
        elif place := self._place(task, self._held()):
            self._bind(task, group, *place)
        else:
            if not self._place(task, self._held(soon=True)):
                self._reclaim(task, group)
            self._say(task, group, self._no_node(task))

    def _no_node(self, task: Task) -> Json:
        """Return that no node has room, or that none is as large as the pod."""
        largest = max(self._nodes.values(), default=0)
        if task.whole <= largest:
            return _said("PodSchedulingErrors", _NO_NODE)
        name = f"{task.pod['metadata']['namespace']}/{task.pod['metadata']['name']}"
        return _said("PodSchedulingErrors", _TOO_LARGE.format(name, task.whole, largest))

    def _try_all(self, task: Task, group: str, least: int) -> None:
        """Start the pods of a Job with whole GPUs that start together, if there is room for all."""
        uid = _owner(task)["uid"]
        waiting = [t for t in self._tasks if _owner(t)["uid"] == uid and not t.node]
        if len(waiting) < least:
            return  # not all of them exist
        whole = Task(task.pod, task.queue, task.fixed, sum(t.whole for t in waiting), 0.0)
        if refusal := self._refusal(whole):
            self._say(task, group, refusal)
            return
        held, places = self._held(), []
        for each in waiting:
            place = self._place(each, held)
            if place is None:
                self._say(task, group, self._no_node(task))
                return
            places.append((each, place))
            there = {"spec": {"nodeName": place[0]}, "metadata": each.pod["metadata"]}
            held.append(Task(there, each.queue, each.fixed, each.whole, 0.0))
        for each, place in places:
            self._bind(each, self._grouped(each), *place)

    def _least(self, task: Task) -> int:
        """Return how many pods of a Job start together."""
        owner, namespace = _owner(task), task.pod["metadata"]["namespace"]
        if owner["kind"] != "Job":
            return 1
        job = self._rest.get(self._rest.path("batch/v1", "Job", namespace, owner["name"]))
        return int(job["metadata"].get("annotations", {}).get(TOGETHER, 1))

    def _read(self, namespace: str) -> Iterator[Task]:
        for pod in self._rest.get(self._rest.path("v1", "Pod", namespace))["items"]:
            labels, annotations = (
                pod["metadata"].get("labels", {}),
                pod["metadata"].get("annotations", {}),
            )
            if pod["spec"].get("schedulerName") != "kai-scheduler":
                continue
            if pod["status"].get("phase") in ("Succeeded", "Failed"):
                continue
            limits = [c["resources"].get("limits", {}) for c in pod["spec"]["containers"]]
            yield Task(
                pod=pod,
                queue=labels.get("kai.scheduler/queue", "default-queue"),
                fixed=labels.get("priorityClassName") in _FIXED,
                whole=sum(int(limit.get("nvidia.com/gpu", 0)) for limit in limits),
                part=_part(annotations),
                devices=int(annotations.get("gpu-fraction-num-devices", 1)),
                groups=[labels[key] for key in labels if key.split("/")[0] == SHARED],
            )

    def _refusal(self, task: Task) -> Json | None:
        queue = self._queues.get(task.queue)
        if queue is None:
            return _said("QueueDoesNotExist", f"Queue '{task.queue}' does not exist")
        own = [t for t in self._tasks if t.node and t.queue == task.queue]
        gpu = queue["spec"]["resources"]["gpu"]
        fixed = sum(t.gpus for t in own if t.fixed)
        if task.fixed and 0 <= gpu["quota"] < fixed + task.gpus:
            return self._told("NonPreemptibleOverQuota", task, gpu["quota"], fixed)
        used = sum(t.gpus for t in own)
        if 0 <= gpu["limit"] < used + task.gpus:
            return self._told("OverLimit", task, gpu["limit"], used)
        return None

    def _told(self, reason: str, task: Task, bound: float, used: float) -> Json:
        """Return why a queue refuses a pod, in words and in the numbers of the queue."""
        amounts = {"more": f"{task.gpus:g}", "bound": f"{bound:g}", "used": f"{used:g}"}
        text = _WORDS[reason].format(queue=task.queue, **amounts)
        gpu = self._queues[task.queue]["spec"]["resources"]["gpu"]
        own = [t for t in self._tasks if t.node and t.queue == task.queue]
        fixed = sum(t.gpus for t in own if t.fixed)
        details = {
            "name": task.queue,
            "podGroupRequestedResources": _amounts(task.gpus),
            "podGroupRequestedNonPreemptibleResources": _amounts(task.gpus * task.fixed),
            "queueAllocatedResources": _amounts(sum(t.gpus for t in own)),
            "queueAllocatedNonPreemptibleResources": _amounts(fixed),
            "queueRequestedResources": _amounts(sum(t.gpus for t in own)),
            "queueDeservedResources": _bounds(gpu["quota"]),
            "queueResourceLimits": _bounds(gpu["limit"]),
        }
        return {"reason": reason, "message": text, "details": {"queueDetails": details}}

    def _held(self, *, soon: bool = False, without: Sequence[Task] = ()) -> list[Task]:
        """Return the pods that hold GPUs, or that will once those that leave have left."""
        gone = {id(task) for task in without}
        return [t for t in self._tasks if t.node and id(t) not in gone and not (soon and t.leaves)]

    def _place(self, task: Task, held: Sequence[Task]) -> tuple[str, list[str]] | None:
        """Return a node, and the names of the GPUs to share: new ones where they are opened."""
        for node, count in self._nodes.items():
            there = [t for t in held if t.node == node]
            shared: dict[str, float] = {}
            for each in there:
                for group in each.groups:
                    shared[group] = shared.get(group, 0.0) + each.part
            free = count - sum(t.whole for t in there) - len(shared)
            if task.part:
                room = [name for name, used in shared.items() if used + task.part <= 1]
                room += [secrets.token_hex(8) for _ in range(free)]
                if len(room) >= task.devices:
                    return node, room[: task.devices]
            elif free >= task.whole:
                return node, []
        return None

    def _reclaim(self, task: Task, group: str) -> None:
        """Delete preemptible pods of queues above their quota for a taker within its own."""
        if self._used(task.queue) + task.gpus > self._quota(task.queue):
            return
        chosen: list[Task] = []
        for victim in sorted(self._tasks, key=lambda t: _created(t.pod), reverse=True):
            above = self._used(victim.queue) - sum(
                t.gpus for t in chosen if t.queue == victim.queue
            ) > self._quota(victim.queue)
            if victim.fixed or victim.leaves or not victim.node or not victim.gpus or not above:
                continue
            chosen.append(victim)
            if self._place(task, self._held(soon=True, without=chosen)):
                break
        else:
            return
        needed = list(chosen)
        for each in chosen:
            fewer = [t for t in needed if t is not each]
            if self._place(task, self._held(soon=True, without=fewer)):
                needed = fewer
        for victim in needed:
            self._evict(victim, task, group)

    def _evict(self, victim: Task, taker: Task, taker_group: str) -> None:
        meta = victim.pod["metadata"]
        namespace, group = meta["namespace"], self._grouped(victim)
        taken = taker.pod["metadata"]["namespace"]
        self._stamp(namespace, group, "last-eviction-timestamp")
        text = "\n".join(
            (
                f"Pod {namespace}/{meta['name']} was preempted by workload {taken}/{taker_group}.",
                self._holds(victim.queue),
                self._holds(taker.queue),
            )
        )
        annotations = {
            "evictor-action-type": "reclaim",
            "evictor-pod-group-name": taker_group,
            "evictor-pod-group-namespace": taken,
            "num-evicted-pods": "1",
        }
        now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        self._rest.create(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {
                    "name": f"{group}.{secrets.token_hex(4)}",
                    "namespace": namespace,
                    "annotations": annotations,
                },
                "involvedObject": {"kind": "PodGroup", "name": group, "namespace": namespace},
                "reason": "Evict",
                "type": "Normal",
                "message": text,
                "firstTimestamp": now,
                "lastTimestamp": now,
            }
        )
        path = self._rest.path("v1", "Pod", namespace, meta["name"])
        if self.tells:
            told = {
                "type": "DisruptionTarget",
                "status": "True",
                "reason": "PreemptionByScheduler",
                "message": text,
                "lastTransitionTime": now,  # without it the cluster takes it for an old one
            }
            conditions = [*victim.pod["status"].get("conditions", []), told]
            self._rest.patch(f"{path}/status", {"status": {"conditions": conditions}})
        self._rest.delete(path)
        meta["deletionTimestamp"] = now

    def _holds(self, queue: str) -> str:
        """Return the line of an eviction about a queue; its fair share is not computed here."""
        found = self._quota(queue)
        quota = "Unlimited" if found == float("inf") else f"{found:g}"
        return (
            f"{queue} uses <GPU: {self._used(queue):g}, CPU: 0 (cores), memory: 0 (GB)> with a "
            f"quota of <GPU: {quota}, CPU: Unlimited (cores), memory: Unlimited (GB)>, "
            f"fair-share of <GPU: {quota}, CPU: Unlimited (cores), memory: Unlimited (GB)> and "
            "queue priority of <100>."
        )

    def _grouped(self, task: Task) -> str:
        """Return the PodGroup of a pod, which is made from its owner for its first pod."""
        meta = task.pod["metadata"]
        [owner] = meta["ownerReferences"]
        name = f"pg-{owner['name']}-{owner['uid']}"
        if meta.get("annotations", {}).get("pod-group-name") == name:
            return name
        labels = meta.get("labels", {})
        self._written.pop((meta["namespace"], name), None)  # it may be made anew
        self._rest.apply(
            {
                "apiVersion": f"{GROUP}/v2alpha2",
                "kind": "PodGroup",
                "metadata": {
                    "name": name,
                    "namespace": meta["namespace"],
                    "ownerReferences": [owner],
                },
                "spec": {
                    "minMember": self._least(task),
                    "queue": task.queue,
                    "priorityClassName": labels.get("priorityClassName", "train"),
                },
            },
            "kai",
        )
        changes = {"metadata": {"annotations": {"pod-group-name": name}}}
        self._rest.patch(self._rest.path("v1", "Pod", meta["namespace"], meta["name"]), changes)
        meta.setdefault("annotations", {})["pod-group-name"] = name
        return name

    def _bind(self, task: Task, group: str, node: str, shared: list[str]) -> None:
        meta = task.pod["metadata"]
        path = self._rest.path("v1", "Pod", meta["namespace"], meta["name"])
        if shared:
            for each in shared:
                self._reserve(node, each)
            task.groups = shared
            several = {f"{SHARED}/{each}": each for each in shared}
            changes = {
                "annotations": {"received-resource-type": "Fraction"},
                "labels": several if task.devices > 1 else {SHARED: shared[0]},
            }
            self._rest.patch(path, {"metadata": changes})
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"]}}
        self._rest.request("POST", f"{path}/binding", {**body, "target": target})
        task.pod["spec"]["nodeName"] = node
        self._stamp(meta["namespace"], group, "last-start-timestamp")
        self._write(meta["namespace"], group, [], {"allocated": _amounts(task.gpus)})

    def _reserve(self, node: str, shared: str) -> None:
        name = f"gpu-reservation-{shared}"
        container = {
            "name": "reserve",
            "image": "any",
            "resources": {"limits": {"nvidia.com/gpu": "1"}},
        }
        manifest = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "namespace": RESERVATIONS,
                "labels": {"app": RESERVATIONS, SHARED: shared},
                "annotations": {"run.ai/reserve_for_gpu_index": f"GPU-{shared}"},
            },
            "spec": {"nodeName": node, "containers": [container]},
        }
        with suppress(Refused):  # it is shared already
            self._rest.create(manifest)

    def _sweep(self) -> None:
        """Delete the reservations of GPUs that nobody shares any more."""
        used = {group for task in self._tasks for group in task.groups}
        for pod in self._rest.get(self._rest.path("v1", "Pod", RESERVATIONS, ""))["items"]:
            meta = pod["metadata"]
            if meta["labels"][SHARED] not in used:
                path = self._rest.path("v1", "Pod", RESERVATIONS, meta["name"])
                self._rest.delete(path, gracePeriodSeconds=0)

    def _say(self, task: Task, group: str, reason: Json) -> None:
        requested = {"requested": _amounts(task.gpus)}
        self._write(task.pod["metadata"]["namespace"], group, [reason], requested)

    def _write(self, namespace: str, group: str, reasons: list[Json], resources: Json) -> None:
        condition = {
            "type": "UnschedulableOnNodePool",
            "status": "True",
            "nodePool": "default",
            "reason": "Unschedulable",
            "transitionID": "1",
            "message": "".join(f"{each['reason']}: {each['message']}." for each in reasons),
            "reasons": reasons,
        }
        status = {
            "schedulingConditions": [condition] if reasons else [],
            "resourcesStatus": {"requested": None, "allocated": None, **resources},
        }
        if self._written.get((namespace, group)) == status:
            return
        self._written[namespace, group] = status
        path = self._rest.path(f"{GROUP}/v2alpha2", "PodGroup", namespace, group)
        self._rest.patch(f"{path}/status", {"status": status})

    def _stamp(self, namespace: str, group: str, name: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        path = self._rest.path(f"{GROUP}/v2alpha2", "PodGroup", namespace, group)
        self._rest.patch(path, {"metadata": {"annotations": {f"kai.scheduler/{name}": at}}})

    def _used(self, queue: str) -> float:
        return sum(t.gpus for t in self._tasks if t.node and t.queue == queue)

    def _quota(self, queue: str) -> float:
        if queue not in self._queues:
            return 0.0
        found = self._queues[queue]["spec"]["resources"]["gpu"]["quota"]
        return float("inf") if found < 0 else float(found)


def _gpu_nodes(rest: Rest) -> dict[str, int]:
    """Return how many GPUs the nodes have that give them out whole.

    Those with taints are other tests' own.
    """
    return {
        node["metadata"]["name"]: int(node["status"]["allocatable"]["nvidia.com/gpu"])
        for node in rest.get("/api/v1/nodes")["items"]
        if not node["spec"].get("taints")
        and node["metadata"]["labels"].get("nvidia.com/gpu.sharing-strategy") == "none"
        and node["status"]["allocatable"].get("nvidia.com/gpu", "0") != "0"
    }


def _part(annotations: Json) -> float:
    """Return what a pod requests of one GPU, in hundredths, as KAI rounds it."""
    part = float(annotations.get("gpu-fraction", 0))
    return part or round(int(annotations.get("gpu-memory", 0)) / _MEMORY, 2)


def _owner(task: Task) -> Json:
    owners: list[Json] = task.pod["metadata"]["ownerReferences"]
    return owners[0]


def _created(pod: Json) -> str:
    return str(pod["metadata"]["creationTimestamp"])


def _said(reason: str, text: str) -> Json:
    return {"reason": reason, "message": text}


def _amounts(gpus: float) -> Json:
    """Return an amount of GPUs as KAI writes it: `500m`, `2`."""
    return {"nvidia.com/gpu": f"{gpus:g}" if gpus % 1 == 0 else f"{round(gpus * 1000)}m"}


def _bounds(gpus: float) -> Json:
    """Return a bound as KAI writes it: no bound of GPUs is 0 there."""
    return {**_UNBOUNDED, **_amounts(max(0, gpus))}
