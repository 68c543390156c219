"""The roles of `deploy/rbac.yaml` beside each other."""

from __future__ import annotations

from tests.kubernetes.fake_rbac import roles


def listed(role: str) -> set[tuple[str, str]]:
    """Return the group and the plural name of each kind that a role may list."""
    return {
        (group, kind)
        for rule in roles()[role]
        if "list" in rule["verbs"]
        for group in rule["apiGroups"]
        for kind in rule["resources"]
    }


def test_a_controller_of_ones_own_reads_all_that_the_one_for_everyone_reads() -> None:
    """`sessions` is bound in the namespace, `reader` for what belongs to the whole cluster."""
    assert listed("controller") <= listed("sessions") | listed("reader")
