"""The tools by which tests make a cluster fail."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from http.client import HTTPException

import psutil
import pytest

from scripts.cluster.cluster import ROOT
from scripts.cluster.rest import Refused
from scripts.cluster.setup import wait_for
from tests.cluster.proxy import Rule
from tests.cluster.teams import Teams
from tests.cluster.workloads import secret, stateful_set


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (403, "Forbidden"),
        (409, "Conflict"),
        (410, "Expired"),
        (429, "TooManyRequests"),
        (503, "ServiceUnavailable"),
    ],
)
def test_a_request_is_refused_as_often_as_wanted(proxy, status, reason):
    between = proxy()
    rule = between.add(Rule("/nodes", "GET", status=status, times=2))
    for _ in range(2):
        with pytest.raises(Refused, match=f"{status} {reason}"):
            between.rest().get("/api/v1/nodes")
    assert between.rest().get("/api/v1/nodes")["items"]
    assert rule.seen == 2


def test_an_answer_is_late(proxy):
    between = proxy("alice")
    between.add(Rule("selfsubjectreviews", delay=2))
    before = time.monotonic()
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = between.rest().create({**review, "metadata": {}})
    assert answer["status"]["userInfo"]["username"] == "alice"
    assert time.monotonic() - before >= 2


def test_an_answer_is_lost_but_the_object_is_made(proxy, teams):
    team = teams.plain("team-a")
    between = proxy("alice")
    between.add(Rule("/secrets", "POST", lost=True, times=1))
    with pytest.raises(OSError, match=r".*"):
        between.rest().create(secret(team, "made", key="x"))
    with pytest.raises(Refused, match="409 AlreadyExists"):
        between.rest().create(secret(team, "made", key="x"))


WATCH = "/api/v1/nodes?watch=1&timeoutSeconds=20"


def test_a_watch_is_told_that_its_version_is_too_old(proxy):
    between = proxy()
    between.add(Rule("watch=1", expired=True, times=1))
    event = json.loads(between.rest().request("GET", WATCH))
    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)


def test_a_watch_breaks_off(proxy):
    between = proxy()
    between.add(Rule("watch=1", cut=0.5))
    before = time.monotonic()
    with pytest.raises((OSError, HTTPException)):
        between.rest().request("GET", WATCH)
    assert time.monotonic() - before < 15


def test_programs_are_killed_and_started_again(breakable):
    rest = breakable.rest()
    namespaces = "/api/v1/namespaces"
    version = rest.get(namespaces)["metadata"]["resourceVersion"]
    team = Teams(rest, "broken").with_kueue("team-a", milli=1000)

    breakable.kill("apiserver")
    with pytest.raises(OSError, match="refused"):
        rest.get(namespaces)
    breakable.compact()
    breakable.start("apiserver")
    watch = f"{namespaces}?watch=1&resourceVersion={version}&timeoutSeconds=5"
    assert b'"code":410' in rest.request("GET", watch)

    breakable.stop("kueue")
    with pytest.raises(Refused, match="failed calling webhook"):
        rest.create(stateful_set(team, "exp", {"nvidia.com/gpu": "1"}))
    breakable.start("kueue")
    rest.create(stateful_set(team, "exp", {"nvidia.com/gpu": "1"}))
    pod = f"{namespaces}/{team.namespace}/pods/exp-0"
    wait_for(lambda: rest.get(pod)["status"]["phase"] == "Running", "the pod runs")


RUN = """
import sys, time
from scripts.cluster.cluster import running
with running() as cluster:
    print(*cluster.pids().values(), flush=True)
    time.sleep(1000)
"""


def test_a_killed_run_leaves_no_process(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", RUN], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        pids = [int(word) for word in process.stdout.readline().split()]
        assert len(pids) >= 7
        assert all(psutil.pid_exists(pid) for pid in pids)
        process.kill()
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in pids), "all have ended")
