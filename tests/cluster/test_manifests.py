"""A real API server accepts every manifest, and pods of its template under Pod Security."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.builders.container import network_policy, service
from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.helper_pod import data_job
from jupyter_gpuquota.kubernetes.builders.session_hosts import manifest_of
from jupyter_gpuquota.kubernetes.builders.volumes import secret
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.engines.engine import EnginePatch
from jupyter_gpuquota.kubernetes.labels import NAME_LIMIT
from jupyter_gpuquota.model.pods import PodOptions
from jupyter_gpuquota.model.volumes.mounts import Mount
from scripts.cluster.rest import Refused
from tests.kubernetes.test_builders import (
    EVERYTHING,
    NO_GPU,
    ONE_GPU,
    PROXY,
    TOKEN,
    image_session,
)
from tests.kubernetes.test_data_job import FETCH, SETTINGS

CLAIMS = PodOptions(
    large_shm=True,
    tolerations=EVERYTHING.tolerations,
    pull_secrets=("registry",),
    secret_env=EVERYTHING.secret_env,
)
VOLUMES = tuple(Mount(volume=f"data-{n}", path=f"/data/{n}", read_only=n == 1) for n in range(3))
FOLDER = (Mount(host_path="/scratch", path="/scratch"),)
DEFAULTS = PodDefaults(home_claim="home-{user}", cpu=500, memory=1024, proxy=PROXY)
RESTRICTED = {
    "a Jupyter Server": (image_session(), Parts(share=NO_GPU)),
    "a GPU and ports": (image_session(gpu="1", ports=(6006, 65535)), Parts(share=ONE_GPU)),
    "claims": (
        image_session(pod=CLAIMS, volumes=VOLUMES, node_type="fast"),
        Parts(defaults=DEFAULTS),
    ),
    "a command": (image_session(command=("serve", "$(X)")), Parts(defaults=DEFAULTS)),
    "a training": (image_session(kind="train", command=("python",)), Parts(share=ONE_GPU)),
    "the longest name": (image_session("x" * NAME_LIMIT), Parts()),
}


@pytest.fixture(params=RESTRICTED.values(), ids=RESTRICTED.keys())
def manifests(request, teams) -> list[dict[str, Any]]:
    """The objects of a session in a namespace of its own, and a pod of the workload's template."""
    session, parts = request.param
    team = teams.plain("team-a")
    made = [
        workload(session, parts),
        secret(session, TOKEN, parts.defaults),
        service(session),
        network_policy(session, parts.defaults),
    ]
    template = made[0]["spec"]["template"]
    meta = {**template["metadata"], "generateName": f"{made[0]['metadata']['name']}-"}
    made.append({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]})
    for each in made:
        each["metadata"] = {**each["metadata"], "namespace": team.namespace}
    return made


def dry_run(rest, manifest):
    """Return what the server would store, without storing it; unknown fields are refused."""
    meta = manifest["metadata"]
    path = rest.path(manifest["apiVersion"], manifest["kind"], meta["namespace"])
    return rest.request("POST", f"{path}?dryRun=All&fieldValidation=Strict", manifest)


def test_a_member_may_create_every_object(cluster, manifests):
    alice = cluster.rest("alice")
    for manifest in manifests:
        assert dry_run(alice, manifest)


def test_a_member_may_create_the_job_of_a_fetch(cluster, teams):
    team, alice = teams.plain("team-a"), cluster.rest("alice")
    made = data_job(FETCH, SETTINGS, '{"user": "ana"}')
    template = made["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", **template}
    pod["metadata"] = {**template["metadata"], "name": made["metadata"]["name"]}
    for each in (made, pod):
        each["metadata"] = {**each["metadata"], "namespace": team.namespace}
        assert dry_run(alice, each)


def test_a_folder_of_a_node_is_outside_of_pod_security(cluster, teams):
    team = teams.plain("team-a")
    spec = workload(image_session(volumes=FOLDER), Parts())["spec"]["template"]["spec"]
    spec = {name: value for name, value in spec.items() if name != "serviceAccountName"}
    meta = {"name": "pod", "namespace": team.namespace}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
    with pytest.raises(Refused, match="hostPath"):
        dry_run(cluster.rest("alice"), pod)


def test_a_queue_of_kueue_accepts_both_workloads(cluster, team_a):
    parts = Parts(engine=EnginePatch(labels={"kueue.x-k8s.io/queue-name": "gpus"}), share=ONE_GPU)
    for kind in ("interactive", "train"):
        made = workload(image_session(f"kueue-{kind}", gpu="1", kind=kind), parts)
        made["metadata"]["namespace"] = team_a.namespace
        assert dry_run(cluster.rest("alice"), made)


@pytest.mark.parametrize(
    ("way", "kind"),
    [
        (("--tls-secret", "wildcard", "--class", "nginx"), "Ingress"),
        (("--gateway", "edge/public"), "HTTPRoute"),
    ],
)
def test_the_route_of_session_hosts_is_accepted(cluster, teams, way, kind):
    team = teams.plain("team-a")
    where = ("--namespace", team.namespace, "--service", "proxy-public:80", "--path", "/user/")
    made = manifest_of(["{session}.gpu.example.org", *where, *way])
    assert json.loads(dry_run(cluster.rest(), made))["kind"] == kind
