"""A real API server accepts the manifests of `docs/engines` whose kinds it serves."""

from __future__ import annotations

import pytest

from tests.cluster.test_manifests import dry_run
from tests.kubernetes.engine_pages import REQUESTS, manifests

BUILT_IN = ("apps/v1", "v1", "kueue.x-k8s.io/v1beta2", "resource.k8s.io/v1")
"""What the test cluster serves; KAI's kinds are there only while its own tests run."""


@pytest.mark.parametrize("page", REQUESTS)
def test_the_objects_of_a_page_are_accepted(cluster, teams, page):
    team, rest = teams.plain("team-a"), cluster.rest()
    found = [each for each in manifests(page) if each["apiVersion"] in BUILT_IN]
    assert any(each["kind"] == "StatefulSet" for each in found)
    for each in found:
        meta = {**each["metadata"], "namespace": team.namespace}
        meta["name"] = f"{team.namespace}-{meta['name']}"  # no other test's
        assert dry_run(rest, {**each, "metadata": meta})
