"""The client: every noun with its verbs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from os import PathLike
from typing import Any

from .. import accounts
from ..errors import GpuQuotaError
from ..hosting.config_files import Choice, Reader, read_apart
from ..model.about import About
from ..model.history import By, History, HistoryPoint
from ..model.idleness import Activity
from ..model.projects import AuditEntry
from ..model.snapshots.runs import Run, RunList
from ..model.struct import Page
from ..model.volumes.storage import StorageBy, StorageList, StorageUse
from . import audit, history, runs
from .connection import discovery
from .connection.context import Context
from .connection.transport import Transport
from .data.datasets import Datasets
from .environments import Environments
from .listing import Listing
from .nodegroups import NodeGroups
from .nodes import Nodes
from .policy import Policies
from .projects import Projects
from .quota import Quota, storage
from .rules import Rules
from .session import ClientSession
from .sessions import Sessions
from .snapshots.snapshots import Snapshots
from .templates import Templates
from .volumes import Volumes


class Client:
    """Launch and see GPU sessions.

        Client().sessions.submit("exp1", gpu=0.5, kind="interactive")
        Client().sessions.list()
        Client().sessions.stop("exp1")

    Without arguments it finds its server on first use: see `discovery` for the order. `url` and
    `token` name a Jupyter Server; `state_dir` and `backend` a controller of this machine.
    `project` is used wherever none is named. Every call blocks; `asyncio.to_thread` runs one beside
    an event loop.
    """

    def __init__(
        self,
        url: str = "",
        token: str = "",
        *,
        state_dir: str | PathLike[str] | None = None,
        backend: str = "",
        project: str = "",
        transport: Transport | None = None,
        read: Reader = read_apart,
    ) -> None:
        folder = "" if state_dir is None else str(accounts.expanded(state_dir).absolute())
        find: Callable[[], Transport] = partial(
            discovery.find, url=url, token=token, named=Choice(backend, folder), read=read
        )
        self.context = Context((lambda: transport) if transport else find, project)
        self._about: About | None = None
        self.sessions = Sessions(self.context)
        self.quota = Quota(self.context)
        self.projects = Projects(self.context)
        self.rules = Rules(self.context)
        self.policy = Policies(self.context)
        self.node_groups = NodeGroups(self.context)
        self.nodes = Nodes(self.context)
        self.environments = Environments(self.context)
        self.datasets = Datasets(self.context)
        self.snapshots = Snapshots(self.context)
        self.volumes = Volumes(self.context)
        self.templates = Templates(self.context)

    def about(self) -> About:
        """Return which controller answers: its version, its backend, and what it can do."""
        found: About = self.context.call("about.get")
        self._about = found
        return found

    def audit(self, *, limit: int = 100, cursor: str = "") -> Listing[AuditEntry, Page[AuditEntry]]:
        """List who changed what, newest first. Raises NotAllowed."""
        return audit.read(self.context, limit=limit, cursor=cursor)

    def history(
        self,
        *,
        project: str = "",
        hours: int = 24,
        since: datetime | None = None,
        until: datetime | None = None,
        points: int = 300,
        by: By = "project",
        user: str = "",
    ) -> Listing[HistoryPoint, History]:
        """List how projects used GPUs in the last `hours`, or between `since` and `until`.

        `project` limits it to one project. With `by="user"`, or a `user`, each user of a project
        has lines of their own; only members of a project see its users' names. In the table and
        its DataFrame amounts are GPUs, in the points milli-GPU. Times that were not sampled have no
        point; a time without a zone is in the zone of this machine.
        """
        return history.read(
            self.context,
            project=project,
            hours=hours,
            since=since,
            until=until,
            points=points,
            by=by,
            user=user,
        )

    def runs(self, session: str = "", *, project: str = "") -> Listing[Run, RunList]:
        """List the runs of a session in MLflow, by default of that which this program runs in.

        Raises NotFound, NotAllowed, WrongState outside of sessions.
        """
        return runs.read(self.context, session, project)

    def storage(
        self, *, project: str = "", by: StorageBy = "project"
    ) -> Listing[StorageUse, StorageList]:
        """List how much storage projects use: datasets, snapshots and volumes, in bytes.

        With `by="user"` each owner has rows; leads and admins see those of all.
        """
        return storage(self.context, project, by)

    def activity(self, name: str, *, project: str = "") -> Activity:
        """Return the activity of a running session. Raises NotFound, WrongState."""
        return self.sessions.activity(name, project=project)

    def keep_alive(self, name: str, span: str | int = "", *, project: str = "") -> ClientSession:
        """Keep an idle session alive: see `sessions.keep_alive`."""
        return self.sessions.keep_alive(name, span, project=project)

    def __repr__(self) -> str:
        """Return who is connected to what, as far as it is known: this sends nothing."""
        if not self.context.connected:
            return "Client (not connected yet)"
        place = str(self.context.transport())
        if not self._about:
            return f"Client of {place}"
        about = self._about
        who = f"{about.user} at {place}"
        return f"Client of {who}: {about.backend} backend, version {about.version}"

    def _repr_pretty_(self, printer: Any, *_: object) -> None:
        """Show the same in IPython, connected: it is the user who wants to see it."""
        try:
            self.about()
        except GpuQuotaError as error:
            printer.text(f"Client (not connected: {error.message})")
        else:
            printer.text(repr(self))
