"""Rights that depend on what is asked: a row a variant of a request, by who may.

`access_table` asks each route with one request. What another body, another query or another object
needs is here, written down apart from what decides it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from jupyter_gpuquota.core.access import Rights
from jupyter_gpuquota.model.datasets.jobs import JOB_KINDS, JobKind, JobReport
from jupyter_gpuquota.model.rightsizing import ResizeRequest
from jupyter_gpuquota.model.sessions import EndpointQuery, Session, SessionRequest
from jupyter_gpuquota.model.snapshots.comparison import SnapshotCompareQuery
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot, SnapshotPreview, SnapshotRequest
from jupyter_gpuquota.model.templates import TemplateRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.builders import NOW
from tests.contract.access_table import ADMIN, PEOPLE, PORT, REQUESTS

Before = Callable[[Backend, Session], Awaitable[None]]

PERSONS = set(PEOPLE)
MEMBERS = {"member", "owner", "lead", ADMIN}
LEADS = {"owner", "lead", ADMIN}
NEEDS: dict[JobKind, set[str]] = {
    "sync": MEMBERS,
    "import": MEMBERS,
    "register": MEMBERS,
    "cache": set(),
    "verify": MEMBERS,
    "export": PERSONS - {"outsider"},
}
"""Who may report a new job of a kind on the dataset of the table; of others, who may remove it.

Nobody begins to fill the cache from outside: the controller starts these jobs itself.
"""
ANEW: dict[JobKind, set[str]] = {"gc": PERSONS, "cache": set()}
"""Who may report a new job of a kind without a dataset, if not admins alone."""


@dataclass(frozen=True)
class Row:
    """A variant of a request, and who may ask for it."""

    name: str
    variant: str
    allowed: set[str]
    args: dict[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None
    before: Before | None = None
    """What has to be there."""
    rights: Callable[[Rights], Rights] = lambda rights: rights
    """What a source of roles withholds."""


def report(variant: str, allowed: set[str], job: str = "job-9", **told: Any) -> Row:
    """Return a row for the report of a job."""
    body = JobReport(state="running", **told)
    return Row("jobs.report", variant, allowed, {"job": job}, body=body)


async def job_without_dataset(backend: Backend, session: Session) -> None:
    """Let a member collect a lake."""
    await backend.jobs.report("job-3", JobReport(kind="gc", state="running"), "member")


class FakeSnapshots:
    """The snapshots of three people, as far as their rights go."""

    def __init__(self) -> None:
        self._all = [
            Snapshot(id=name, project="team-c", owner=owner, created=NOW, tags=(name,))
            for name, owner in (("first", "owner"), ("theirs", "lead"), ("of-admin", ADMIN))
        ]

    def all(self) -> list[Snapshot]:
        """Return all of them."""
        return self._all

    async def manifest(self, snapshot: Snapshot) -> None:
        """Return that none is known."""

    async def create(
        self, session: Session, request: SnapshotRequest, who: str, trigger: str
    ) -> Snapshot:
        """Return one of the owner, who may be asked by the session."""
        return replace(self._all[0], session=session.id)

    async def preview(
        self, session: Session, request: SnapshotRequest, who: str
    ) -> SnapshotPreview:
        """Return that nothing is known."""
        return SnapshotPreview()


def without_exec(rights: Rights) -> Rights:
    """Withhold programs in sessions, as rules of a cluster may."""
    if rights.caller.name != "owner" or rights.caller.session:
        return rights
    return Rights(rights.caller, roles=rights.roles, withheld={"team-c": frozenset({"exec"})})


def inside(rights: Rights) -> Rights:
    """Ask as a program in a person's session, which never has an administrator's rights."""
    return Rights(dataclasses.replace(rights.caller, inside="exp-2"), rights.admin, rights.roles)


ROWS = [
    *(
        report(f"{kind} of a dataset", NEEDS.get(kind, LEADS), kind=kind, dataset="faces")
        for kind in JOB_KINDS
    ),
    *(report(f"{kind} of none", ANEW.get(kind, {ADMIN}), kind=kind) for kind in JOB_KINDS),
    report("another user's job", {"owner", ADMIN}, "job-1", kind="sync", dataset="faces"),
    report("as another kind", {"owner", ADMIN}, "job-1", kind="evict", dataset="faces"),
    Row("jobs.cancel", "of a dataset", LEADS, {"job": "job-1"}),
    Row("jobs.cancel", "of none", {"member", ADMIN}, {"job": "job-3"}, before=job_without_dataset),
    Row(
        "jobs.cancel",
        "of none, from inside a session",
        {"member"},
        {"job": "job-3"},
        before=job_without_dataset,
        rights=inside,
    ),
    Row("jobs.get", "of none", {"member", ADMIN}, {"job": "job-3"}, before=job_without_dataset),
    Row(
        "sessions.endpoint",
        "shown on the caller's JupyterLab",
        {"owner"},
        query=EndpointQuery(port=PORT, same_origin=True),
    ),
    Row(
        "sessions.resize",
        "that keeps variables",
        {ADMIN},
        body=ResizeRequest(gpu="0.25", keep=("x",), notebook="a.ipynb"),
        rights=without_exec,
    ),
    Row("templates.put", "of admins", {ADMIN}, **REQUESTS["templates.put"]),
    Row(
        "templates.put",
        "of one's own",
        PERSONS,
        {"scope": "own", "template": "mine"},
        body=TemplateRequest(),
    ),
    Row(
        "templates.put",
        "of a session",
        LEADS,
        {"scope": "own", "template": "mine"},
        body=TemplateRequest(session="exp-1"),
    ),
    Row(
        "snapshots.compare",
        "with another's",
        set(),
        {"snapshot": "of-admin"},
        query=SnapshotCompareQuery(other="theirs"),
    ),
    Row(
        "sessions.preview",
        "with a dataset",
        MEMBERS,
        body=SessionRequest(name="new", project="team-c", data=("faces:/faces",)),
    ),
    *(
        Row(name, "as in the table", allowed, **REQUESTS.get(name, {}))
        for name, allowed in {
            "sessions.stop": LEADS | {"session"},
            "projects.put": {ADMIN},
            "history.get": PERSONS,
            "volumes.delete": LEADS,
            "datasets.delete": LEADS,
            "versions.tag": MEMBERS,
            "versions.verify": MEMBERS,
            "snapshots.create": {"owner", "session"},
            "snapshots.preview": {"owner", "session"},
            "snapshots.get": {"owner"},
        }.items()
    ),
]
