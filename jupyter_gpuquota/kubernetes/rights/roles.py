"""Which rights on a cluster make which role: the one table.

Rights come from the cluster's own rules and never from a label, which anyone who may change an
object can set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...core.access import Role, Source, VolumeRight
from ...model.routes.route import Need


@dataclass(frozen=True, slots=True)
class Right:
    """A verb on a kind of objects, as rules of the cluster grant it."""

    verb: str
    resource: str
    group: str = ""
    subresource: str = ""

    def __str__(self) -> str:
        """Return the rule's name, such as `create pods/exec`."""
        kind = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return f"{self.verb} {kind}"


@dataclass(frozen=True, slots=True)
class RoleTable:
    """The rights that roles need.

    Each role of the `ladder` needs its rights and those of the roles before it, in the project's
    namespace. Without the right in `needs`, members and leads lack what it stands for. An admin
    has all of `admin` in every namespace; if there are none, nobody is one.
    """

    ladder: tuple[tuple[Role, tuple[Right, ...]], ...]
    needs: Mapping[Need | VolumeRight, Right]
    source: Source
    admin: tuple[Right, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """What the cluster grants to somebody in one project.

    Not `certain` if the cluster could not read all rules, as while its API server starts.
    """

    role: Role | None = None
    withheld: frozenset[Need | VolumeRight] = field(default_factory=frozenset)
    certain: bool = True


def _workloads(*verbs: str) -> tuple[Right, ...]:
    kinds = (("statefulsets", "apps"), ("jobs", "batch"))
    return tuple(Right(verb, kind, group) for verb in verbs for kind, group in kinds)


_SEE = (Right("list", "statefulsets", "apps"),)
_LAUNCH = _workloads("create")
_LEAD = _workloads("patch", "delete")
_SESSION_NEEDS: Mapping[Need | VolumeRight, Right] = {
    "log": Right("get", "pods", subresource="log"),
    "exec": Right("create", "pods", subresource="exec"),
}
_NEEDS: Mapping[Need | VolumeRight, Right] = {
    **_SESSION_NEEDS,
    "create volumes": Right("create", "persistentvolumeclaims"),
    "change volumes": Right("patch", "persistentvolumeclaims"),
    "delete volumes": Right("delete", "persistentvolumeclaims"),
}
_LAUNCHING = "create statefulsets and jobs"
_STILL = f"its owner {{owner}}, while allowed to {_LAUNCHING} in {{project}},"

TEAM_SOURCE = Source(
    owners=frozenset({"member", "lead"}),
    who={
        **dict.fromkeys(
            ("inspect", "manage"),
            "its owner {owner} and those allowed to patch and delete statefulsets and jobs in "
            "{project}",
        ),
        **dict.fromkeys(("own", "enter"), _STILL),
        "log": "its owner {owner} and leads of {project}, with the right to get pods/log there,",
        "exec": "its owner {owner}, with the right to create pods/exec in {project},",
    },
    admins="Ask an administrator of the cluster to bind the ClusterRole jupyter-gpuquota-admin.",
    launching=_LAUNCHING,
)
OWN_SOURCE = Source(
    owners=frozenset({"member", "lead"}),
    who={
        **dict.fromkeys(("inspect", "manage", "own", "enter"), _STILL),
        "log": "its owner {owner}, with the right to get pods/log in {project},",
        "exec": "its owner {owner}, with the right to create pods/exec in {project},",
    },
    admins="A controller with your own credentials manages your own sessions only.",
    launching="create, patch and delete statefulsets and jobs, and create and get secrets",
)

_ENGINES: Mapping[str, Right] = {
    "kueue": Right("update", "clusterqueues", "kueue.x-k8s.io"),
    "kai": Right("update", "queues", "scheduling.run.ai"),
    "resourcequota": Right("update", "resourcequotas"),
}
_ANYTHING = Right("*", "*", "*")

OWN = RoleTable(
    ladder=(
        ("viewer", _SEE),
        (
            "member",
            (*_LAUNCH, *_LEAD, Right("create", "secrets"), Right("get", "secrets")),
        ),
    ),
    needs=_NEEDS,
    source=OWN_SOURCE,
)
"""For a controller that acts with the caller's own credentials, on the caller's own sessions.

Nobody is a lead or an admin there, whatever the cluster allows.
"""


def team(engine: str) -> RoleTable:
    """Return the roles for a controller that acts for many people with its own service account.

    An admin may see and enter all sessions, and change quotas, which are objects of an engine.
    """
    quotas = _ENGINES.get(engine, _ANYTHING)
    return RoleTable(
        ladder=(("viewer", _SEE), ("member", _LAUNCH), ("lead", _LEAD)),
        needs=_NEEDS,
        source=TEAM_SOURCE,
        admin=(quotas, *_LAUNCH, *_LEAD, *_SESSION_NEEDS.values()),
    )
