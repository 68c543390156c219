"""An existing cluster, of which the tests have an administrator's kubeconfig only."""

from __future__ import annotations

import pytest

from tests.cluster.existing import Existing

REVIEW = {
    "apiVersion": "authentication.k8s.io/v1",
    "kind": "SelfSubjectReview",
    "metadata": {},
}


@pytest.mark.parametrize(
    ("user", "groups"), [("alice", {"team-a"}), ("carol", {"team-a", "team-leads"})]
)
def test_people_get_certificates_of_their_own(cluster, user, groups):
    with Existing.connected(cluster.kubeconfig()) as existing:
        answer = existing.rest(user).create(REVIEW)
        assert existing.kubeconfig(user).stat().st_mode & 0o077 == 0
    found = answer["status"]["userInfo"]
    assert found["username"] == user
    assert set(found["groups"]) == groups | {"system:authenticated"}
