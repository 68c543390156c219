"""The proxy by which tests make an API server fail."""

from __future__ import annotations

import json
import time
from http.client import HTTPException

import pytest

from scripts.cluster.rest import Refused
from tests.cluster.proxy import Rule
from tests.cluster.workloads import secret


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


WATCH = "/api/v1/nodes?watch=1&timeoutSeconds=3600"


def test_a_watch_is_told_that_its_version_is_too_old(proxy):
    between = proxy()
    between.add(Rule("watch=1", expired=True, times=1))
    event = json.loads(between.rest().request("GET", WATCH))
    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)


def test_a_watch_breaks_off(proxy):
    between = proxy()
    between.add(Rule("watch=1", cut=0.5))
    with pytest.raises((OSError, HTTPException)):
        between.rest().request("GET", WATCH)
