"""Which kinds of workloads may be made, by reviews of the API server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.resources import MPI_JOBS
from jupyter_gpuquota.kubernetes.rights.reviews import KindRights

CHANGES = ("create", "get", "patch")

pytestmark = pytest.mark.asyncio


class Reviewer:
    """An API server that grants verbs in one project, or does not answer."""

    def __init__(self, *granted: str, fault: Fault | None = None) -> None:
        self.granted, self.fault, self.asked = granted, fault, 0

    async def ask(self, path: str, body: Any) -> bytes:
        self.asked += 1
        if self.fault:
            raise self.fault
        assert path.endswith("/selfsubjectaccessreviews")
        about = body["spec"]["resourceAttributes"]
        assert (about["group"], about["resource"]) == ("kubeflow.org", "mpijobs")
        allowed = about["namespace"] == "team-a" and about["verb"] in self.granted
        return json.dumps({"status": {"allowed": allowed}}).encode()


async def test_the_first_missing_right_is_named_and_cached() -> None:
    now = 0.0
    api: Any = Reviewer(*CHANGES)
    rights = KindRights(api, lambda: now)
    assert await rights.lacking(MPI_JOBS, "team-a", CHANGES) == ""
    assert await rights.lacking(MPI_JOBS, "team-b", CHANGES) == "create mpijobs"
    asked = api.asked
    assert await rights.lacking(MPI_JOBS, "team-a", CHANGES) == ""
    assert api.asked == asked
    now, api.granted = 61.0, ("create", "get")
    assert await rights.lacking(MPI_JOBS, "team-a", CHANGES) == "patch mpijobs"


async def test_a_server_that_does_not_say_refuses_nothing() -> None:
    api: Any = Reviewer(fault=Fault(503, "Unavailable", "away"))
    assert await KindRights(api).lacking(MPI_JOBS, "team-a", CHANGES) == ""
