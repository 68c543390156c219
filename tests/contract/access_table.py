"""Who may ask for which route: a row a route, written down apart from what decides it."""

from __future__ import annotations

from typing import Any

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.model.about import ChangesQuery
from jupyter_gpuquota.model.datasets.caches import CacheQuery, PinRequest, VerifyRequest
from jupyter_gpuquota.model.datasets.datasets import CollectRequest, DatasetChange, DatasetRequest
from jupyter_gpuquota.model.datasets.files import (
    CompareQuery,
    ContentQuery,
    FileQuery,
    PreviewQuery,
)
from jupyter_gpuquota.model.datasets.jobs import JobQuery, JobReport, JobRequest
from jupyter_gpuquota.model.datasets.lineage import LineageQuery
from jupyter_gpuquota.model.datasets.settings import DataSettingsRequest
from jupyter_gpuquota.model.datasets.versions import TagRequest, VersionReport
from jupyter_gpuquota.model.ending import EndRequest, PageReport
from jupyter_gpuquota.model.environments import EnvironmentQuery
from jupyter_gpuquota.model.history import HistoryQuery
from jupyter_gpuquota.model.idleness import KeepAliveRequest, PresenceRequest
from jupyter_gpuquota.model.policy import PolicyRequest
from jupyter_gpuquota.model.programs import ExecRequest, TerminalInput, TerminalRequest
from jupyter_gpuquota.model.projects import (
    AuditQuery,
    GroupsRequest,
    ProjectRemoval,
    ProjectRequest,
    RulesRequest,
    SettingsTextRequest,
)
from jupyter_gpuquota.model.rightsizing import ResizeRequest
from jupyter_gpuquota.model.sessions import (
    EndpointQuery,
    LogQuery,
    ResumeRequest,
    SessionQuery,
    SessionRequest,
)
from jupyter_gpuquota.model.snapshots.comparison import SnapshotCompareQuery
from jupyter_gpuquota.model.snapshots.restore import RestoreRequest
from jupyter_gpuquota.model.snapshots.snapshots import (
    SnapshotFolder,
    SnapshotMarks,
    SnapshotPinRequest,
    SnapshotQuery,
    SnapshotRequest,
    SnapshotRulesRequest,
)
from jupyter_gpuquota.model.templates import TemplateRequest
from jupyter_gpuquota.model.volumes.storage import StorageQuery
from jupyter_gpuquota.model.volumes.volumes import VolumeChange, VolumeQuery, VolumeRequest
from tests.builders import NOW
from tests.contract.data import FACES

PORT = 8124
"""The port that the session of the table exposes."""

PROJECT = {
    "name": "team-c",
    "quota": "2",
    "members": ["owner", "member"],
    "viewers": ["viewer"],
    "leads": ["lead"],
}
"""The project of the session that the table is about, whose owner is `owner`."""

ADMIN = "admin"
PEOPLE = ("viewer", "outsider", "member", "owner", "lead", ADMIN)
"""Everyone who asks beside the session itself; `outsider` is a member of other projects only."""

_EVERYONE = {*PEOPLE, "session"}
_PERSONS = set(PEOPLE)
_SEE = _EVERYONE - {"outsider"}
_MANAGE = {"owner", "lead", ADMIN, "session"}
_OWN = {"owner", ADMIN}
_DATA_SEE = set(PEOPLE) - {"outsider"}
_DATA_WRITE = {"member", "owner", "lead", ADMIN}
_DATA_REMOVE = {"owner", "lead", ADMIN}

ALLOWED: dict[str, set[str]] = {
    "about.get": _EVERYONE,
    "changes.wait": _EVERYONE,
    "sessions.list": _EVERYONE,
    "sessions.create": {"member", "owner", "lead", ADMIN},
    "sessions.preview": _PERSONS,
    "sessions.get": _SEE,
    "sessions.request": _MANAGE,
    "sessions.advice": _MANAGE,
    "sessions.delete": _OWN,
    "sessions.stop": _MANAGE,
    "sessions.suspend": _MANAGE,
    "sessions.resume": _OWN,
    "sessions.resize": _OWN,
    "sessions.log": _MANAGE,
    "sessions.runs": _MANAGE,
    "sessions.exec": _OWN,
    "sessions.exec_stream": _OWN,
    "sessions.terminal": _OWN,
    "sessions.type": _OWN,
    "sessions.endpoint": _OWN,
    "sessions.presence": _OWN,
    "sessions.put_page": _MANAGE,
    "sessions.context": _OWN,
    "sessions.policy": _MANAGE,
    "sessions.activity": _MANAGE,
    "sessions.keep_alive": _MANAGE,
    "quota.get": _EVERYONE,
    "history.get": _PERSONS,
    "nodes.list": _EVERYONE,
    "nodes.gpus": _EVERYONE,
    "nodes.utilisation": _EVERYONE,
    "environments.list": _PERSONS,
    "projects.list": _PERSONS,
    "projects.put": {ADMIN},
    "projects.preview": {ADMIN},
    "projects.delete": {ADMIN},
    "rules.get": _PERSONS,
    "rules.put": {ADMIN},
    "groups.get": _PERSONS,
    "groups.put": {ADMIN},
    "policy.get": _PERSONS,
    "policy.put": {ADMIN},
    "policy.preview": {ADMIN},
    "settings.get": {ADMIN},
    "settings.put": {ADMIN},
    "audit.list": {ADMIN},
    "lakes.list": _PERSONS,
    "lakes.settings": {ADMIN},
    "lakes.put": {ADMIN},
    "lakes.preview": {ADMIN},
    "lakes.collect": {ADMIN},
    "lineage.get": _DATA_SEE,
    "quota.storage": _PERSONS,
    "volumes.list": _PERSONS,
    "volumes.create": {"member", "owner", "lead", ADMIN},
    "volumes.get": _SEE - {"session"},
    "volumes.change": {"owner", "lead", ADMIN},
    "volumes.delete": {"owner", "lead", ADMIN},
    "templates.list": _PERSONS,
    "templates.put": {ADMIN},
    "templates.delete": {ADMIN},
    "snapshots.list": _EVERYONE,
    "snapshots.create": {"owner", "session"},
    "snapshots.preview": {"owner", "session"},
    "snapshots.get": {"owner"},
    "snapshots.mark": {"owner"},
    "snapshots.delete": {"owner"},
    "snapshots.pin": {"owner"},
    "snapshots.unpin": {"owner"},
    "snapshots.compare": {"owner"},
    "snapshots.lineage": {"owner"},
    "snapshots.verify": {"owner"},
    "snapshots.export": {"owner"},
    "snapshots.files": {"owner"},
    "snapshots.settings": _PERSONS,
    "snapshots.put_settings": _PERSONS,
    "snapshots.restores": _PERSONS,
    "snapshots.plan": {"owner"},
    "snapshots.restore": {"owner"},
    "datasets.list": _PERSONS,
    "datasets.create": {"member", "owner", "lead", ADMIN},
    "datasets.get": _DATA_SEE,
    "datasets.change": _DATA_REMOVE,
    "datasets.delete": _DATA_REMOVE,
    "versions.list": _DATA_SEE,
    "versions.get": _DATA_SEE,
    "versions.put": _DATA_WRITE,
    "versions.delete": _DATA_REMOVE,
    "versions.tag": _DATA_WRITE,
    "versions.untag": _DATA_WRITE,
    "versions.files": _DATA_SEE,
    "versions.content": _DATA_SEE,
    "versions.preview": _DATA_SEE,
    "versions.compare": _DATA_SEE,
    "versions.verify": _DATA_WRITE,
    "caches.list": _PERSONS,
    "caches.create": _DATA_WRITE,
    "caches.delete": _DATA_WRITE,
    "caches.pin": _DATA_WRITE,
    "caches.unpin": _DATA_WRITE,
    "jobs.list": _PERSONS,
    "jobs.start": _PERSONS,
    "jobs.get": _DATA_SEE,
    "jobs.report": _DATA_WRITE,
    "jobs.cancel": _DATA_REMOVE,
}

_DATA = {"dataset": "faces", "version": "latest", "tag": "good", "job": "job-1"}
"""The dataset of team-c, whose owner is `owner`, its version, and a job of `owner` on it."""

_VOLUME = {"project": "team-c", "volume": "shared"}
"""A volume of the session's owner."""
_TEMPLATE = {"scope": "admin", "template": "small"}
"""A template of admins."""
_SNAPSHOT = {"snapshot": "first"}
"""The snapshot of the session, by its tag."""

REQUESTS: dict[str, dict[str, Any]] = {
    "changes.wait": {"query": ChangesQuery(timeout=0)},
    "environments.list": {"query": EnvironmentQuery()},
    "sessions.list": {"query": SessionQuery()},
    "sessions.create": {"body": SessionRequest(name="new", project="team-c")},
    "sessions.preview": {"body": SessionRequest(name="new", project="team-c")},
    "sessions.stop": {"body": EndRequest()},
    "sessions.suspend": {"body": EndRequest(reason="The node is needed")},
    "sessions.resume": {"body": ResumeRequest()},
    "sessions.resize": {"body": ResizeRequest(gpu="0.25")},
    "sessions.log": {"query": LogQuery()},
    "sessions.exec": {"body": ExecRequest(command=("true",))},
    "sessions.exec_stream": {"body": ExecRequest(command=("true",))},
    "sessions.terminal": {"body": TerminalRequest()},
    "sessions.type": {"body": TerminalInput(text="x")},
    "sessions.endpoint": {"query": EndpointQuery(port=PORT)},
    "sessions.presence": {"body": PresenceRequest(at=NOW)},
    "sessions.keep_alive": {"body": KeepAliveRequest()},
    "sessions.put_page": {"body": PageReport(state="open")},
    "history.get": {"query": HistoryQuery()},
    "projects.put": {"args": {"name": "new"}, "body": ProjectRequest(quota=1)},
    "projects.preview": {"body": ProjectRequest(name="new", quota=1)},
    "projects.delete": {"args": {"name": "team-b"}, "query": ProjectRemoval()},
    "rules.put": {"body": RulesRequest(revision="1")},
    "groups.put": {"body": GroupsRequest(revision="1")},
    "policy.put": {"body": PolicyRequest()},
    "policy.preview": {"body": PolicyRequest()},
    "settings.put": {"body": SettingsTextRequest(text="", revision="1")},
    "audit.list": {"query": AuditQuery()},
    "lakes.put": {"body": DataSettingsRequest(revision="1")},
    "lakes.preview": {"body": DataSettingsRequest(revision="1")},
    "lineage.get": {"args": _DATA, "query": LineageQuery()},
    "lakes.collect": {"args": {"lake": "local"}, "body": CollectRequest()},
    "quota.storage": {"query": StorageQuery()},
    "volumes.list": {"query": VolumeQuery()},
    "volumes.create": {"body": VolumeRequest(name="new", project="team-c", size="1Gi")},
    "volumes.get": {"args": _VOLUME},
    "volumes.change": {"args": _VOLUME, "body": VolumeChange(description="new")},
    "volumes.delete": {"args": _VOLUME},
    "templates.put": {"args": _TEMPLATE, "body": TemplateRequest()},
    "templates.delete": {"args": _TEMPLATE},
    "snapshots.list": {"query": SnapshotQuery()},
    "snapshots.create": {"body": SnapshotRequest(note="a try")},
    "snapshots.preview": {"body": SnapshotRequest()},
    "snapshots.get": {"args": _SNAPSHOT},
    "snapshots.mark": {"args": _SNAPSHOT, "body": SnapshotMarks(tags=("best",))},
    "snapshots.delete": {"args": _SNAPSHOT},
    "snapshots.pin": {"args": _SNAPSHOT, "body": SnapshotPinRequest()},
    "snapshots.unpin": {"args": _SNAPSHOT},
    "snapshots.compare": {"args": _SNAPSHOT, "query": SnapshotCompareQuery(other="first")},
    "snapshots.lineage": {"args": _SNAPSHOT},
    "snapshots.verify": {"args": _SNAPSHOT},
    "snapshots.files": {"args": _SNAPSHOT},
    "snapshots.export": {"args": _SNAPSHOT, "body": SnapshotFolder(folder="/nowhere/new")},
    "snapshots.put_settings": {"body": SnapshotRulesRequest(keep_last=2)},
    "snapshots.plan": {"args": _SNAPSHOT, "body": RestoreRequest()},
    "snapshots.restore": {"args": _SNAPSHOT, "body": RestoreRequest()},
    "datasets.create": {"body": DatasetRequest(name="cats", project="team-c")},
    "datasets.get": {"args": _DATA},
    "datasets.change": {"args": _DATA, "body": DatasetChange(description="new")},
    "datasets.delete": {"args": _DATA},
    "versions.list": {"args": _DATA},
    "versions.get": {"args": _DATA},
    "versions.put": {"args": _DATA | {"version": FACES}, "body": VersionReport(time=NOW)},
    "versions.delete": {"args": _DATA},
    "versions.tag": {"args": _DATA, "body": TagRequest()},
    "versions.untag": {"args": _DATA},
    "versions.files": {"args": _DATA, "query": FileQuery()},
    "versions.content": {"args": _DATA, "query": ContentQuery(path="a.txt")},
    "versions.preview": {"args": _DATA, "query": PreviewQuery(path="a.txt")},
    "versions.compare": {"args": _DATA, "query": CompareQuery(other="latest")},
    "versions.verify": {"args": _DATA, "body": VerifyRequest()},
    "caches.list": {"query": CacheQuery()},
    "caches.create": {"args": _DATA},
    "caches.delete": {"args": _DATA},
    "caches.pin": {"args": _DATA, "body": PinRequest()},
    "caches.unpin": {"args": _DATA},
    "jobs.list": {"query": JobQuery()},
    "jobs.start": {"body": JobRequest(kind="sync", dataset="faces")},
    "jobs.get": {"args": _DATA},
    "jobs.report": {
        "args": _DATA | {"job": "job-2"},
        "body": JobReport(kind="sync", dataset="faces", state="running"),
    },
    "jobs.cancel": {"args": _DATA},
}
"""What a route is asked with, where it takes something."""


def caller(name: str, session_id: str = "") -> Caller:
    """Return a caller of the table; `session` acts for the session itself."""
    if name == "session":
        return Caller("owner", known="session", session=session_id)
    return Caller(name, known="token")
