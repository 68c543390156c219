"""Which pods are a session's: what owns them decides, and never a label alone."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.kubernetes.labels import SESSION
from jupyter_gpuquota.kubernetes.objects.meta import Meta, Object, Owner
from jupyter_gpuquota.kubernetes.state.seen import owned

ROOT = Object(metadata=Meta(name="gpu-exp-1", namespace="team-a", uid="root"))


def made(uid: str, *owners: str, namespace: str = "team-a") -> Object:
    references = tuple(Owner(kind="Job", name=owner, uid=owner) for owner in owners)
    return Object(
        metadata=Meta(
            name=uid,
            namespace=namespace,
            uid=uid,
            labels={SESSION: "s1"},
            owner_references=references,
        )
    )


@pytest.mark.parametrize(
    ("pod", "between", "belongs"),
    [
        (made("pod", "root"), [], True),
        (made("pod", "other", "root"), [], True),
        (made("pod", "job"), [made("job", "root")], True),
        (made("pod", "job"), [made("job", "set"), made("set", "root")], True),
        (made("pod"), [], False),  # it has the label, as all here
        (made("pod", "job"), [], False),  # nothing is known of its owner
        (made("pod", "job"), [made("job", "other")], False),
        (made("pod", "job"), [made("job")], False),
        (made("pod", "root", namespace="team-b"), [], False),
        (made("pod", "job"), [made("job", "root", namespace="team-b")], False),
        (made("pod", "one"), [made("one", "two"), made("two", "one")], False),
        (made("pod", "one"), [made("one", "one")], False),
    ],
)
def test_a_chain_of_owners_leads_to_the_workload(
    pod: Object, between: list[Object], *, belongs: bool
) -> None:
    known = {each.metadata.uid: each for each in between}
    assert owned(ROOT, [pod], known) == ([pod] if belongs else [])
