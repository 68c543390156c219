"""The test cluster does what tests of the backend rely on."""

from __future__ import annotations

import pytest

from scripts.cluster.rest import Refused
from scripts.cluster.settings import MILLI_GPU
from scripts.cluster.setup import wait_for
from tests.cluster.workloads import secret, stateful_set


def pods_of(rest, team):
    return rest.get(f"/api/v1/namespaces/{team.namespace}/pods")["items"]


def phases(rest, team):
    return sorted(pod["status"]["phase"] for pod in pods_of(rest, team))


def used(rest, team):
    queue = rest.get(f"/apis/kueue.x-k8s.io/v1beta2/clusterqueues/{team.namespace}")
    [flavor] = queue["status"]["flavorsUsage"]
    return {entry["name"]: entry["total"] for entry in flavor["resources"]}


def test_kueue_admits_fractions_and_whole_gpus_into_one_quota(cluster, team_b):
    rest = cluster.rest()
    rest.create(stateful_set(team_b, "whole", {"nvidia.com/gpu": "1"}))
    rest.create(stateful_set(team_b, "fraction", {MILLI_GPU: "600"}))
    wait_for(lambda: phases(rest, team_b) == ["Running", "Running"], "both run")
    wait_for(lambda: used(rest, team_b)[MILLI_GPU] == "1600", "1.6 GPUs are used")


def test_what_does_not_fit_is_in_the_queue_that_members_read(cluster, team_a, team_b):
    rest = cluster.rest()
    for team, gpus in ((team_a, "4"), (team_b, "2")):
        rest.create(stateful_set(team, "quota", {"nvidia.com/gpu": gpus}))
        wait_for(lambda team=team: phases(rest, team) == ["Running"], "the quota is used up")
    rest.create(stateful_set(team_b, "waits", {"nvidia.com/gpu": "1"}))
    path = (
        f"/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/{team_b.namespace}"
        "/localqueues/gpus/pendingworkloads"
    )
    bob = cluster.rest("bob")
    wait_for(lambda: bob.get(path)["items"], "a workload waits")
    [pending] = bob.get(path)["items"]
    assert pending["metadata"]["name"].startswith("statefulset-waits")
    assert pending["positionInLocalQueue"] == 0
    with pytest.raises(Refused, match="403 Forbidden"):
        cluster.rest("alice").get(path)


def test_members_reach_only_their_own_namespace(cluster, teams):
    team_a, team_b = teams.plain("team-a"), teams.plain("team-b")
    for team in (team_a, team_b):
        cluster.rest().create(secret(team, "token", key="x"))
    for user, own, other in (("alice", team_a, team_b), ("bob", team_b, team_a)):
        rest = cluster.rest(user)
        assert rest.get(f"/api/v1/namespaces/{own.namespace}/secrets/token")["data"]
        for path in ("secrets/token", "pods", "pods/x/log", "pods/x/exec"):
            with pytest.raises(Refused, match="403 Forbidden"):
                rest.get(f"/api/v1/namespaces/{other.namespace}/{path}")


def test_a_resource_quota_refuses_more_than_it_has(cluster, teams):
    team = teams.with_quota("team-a", {"requests.nvidia.com/gpu": "1"})
    rest = cluster.rest("alice")
    rest.create(stateful_set(team, "fits", {"nvidia.com/gpu": "1"}))
    wait_for(lambda: phases(rest, team) == ["Running"], "it runs")
    rest.create(stateful_set(team, "over", {"nvidia.com/gpu": "1"}))
    events = f"/api/v1/namespaces/{team.namespace}/events"
    wait_for(
        lambda: any("exceeded quota" in one["message"] for one in rest.get(events)["items"]),
        "the second one is refused",
    )


def test_pods_must_meet_pod_security_restricted(cluster, teams):
    team = teams.plain("team-a")
    pod = stateful_set(team, "root", {})["spec"]["template"]
    pod |= {"apiVersion": "v1", "kind": "Pod"}
    pod["metadata"] = {"name": "root", "namespace": team.namespace}
    pod["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    with pytest.raises(Refused, match="violates PodSecurity"):
        cluster.rest("alice").create(pod)
