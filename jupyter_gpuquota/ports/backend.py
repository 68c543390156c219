"""The backend: small and required. What only some can do are capabilities, asked for by type.

    if isinstance(backend, Logs): ...

Every method may be called from one event loop at any time and never blocks it. Errors are
those of `errors`; nothing of an engine's own escapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol, runtime_checkable

from ..core.history import Window
from ..core.idle_week import Stretch
from ..core.policy import Ruling
from ..model.about import Revisions
from ..model.environments import Environment, LaunchPlace
from ..model.history import History as Past
from ..model.idleness import Activity, PresenceRequest
from ..model.nodes import Reading
from ..model.policy import Policy
from ..model.projects import AuditEntry, Groups, SetBy
from ..model.quota import Project, Rules
from ..model.resources import Node, Share
from ..model.sessions import (
    Endpoint,
    ExecContext,
    ExecRequest,
    ExecResult,
    LogChunk,
    LogQuery,
    Session,
    SessionRequest,
    SessionSpec,
)


class Changes(Protocol):
    """Tell that something has changed."""

    @property
    def instance(self) -> str:
        """Tell the life that revisions belong to; another one counts anew."""

    def revision(self, noun: str) -> int:
        """Tell the revision of a noun (`sessions`, `quota`, `nodes`, `policy`); returns at once."""

    async def changed(self, since: int, timeout: float) -> Revisions:
        """Wait until the counter is past `since`, or `timeout` seconds; return all revisions."""


class Inventory(Protocol):
    """Tell what there is to share out, and from what sessions may start."""

    def projects(self) -> tuple[Project, ...]:
        """List the projects; returns at once."""

    def rules(self) -> Rules:
        """Tell what holds for all projects; returns at once."""

    def nodes(self) -> tuple[Node, ...]:
        """List nodes and devices; returns at once, from memory."""

    def readings(self) -> Mapping[str, Reading]:
        """Map a device's UUID to its newest reading; returns at once, from memory."""

    async def environments(self) -> tuple[Environment, ...]:
        """List the environments that sessions may start from."""

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Look up what a request names: its environment and its folder."""


class Sessions(Protocol):
    """Run sessions."""

    def sessions(self) -> tuple[Session, ...]:
        """List all sessions, oldest first; returns at once, from memory."""

    async def create(self, spec: SessionSpec, owner: str) -> Session:
        """Accept a checked request; the session is then waiting or further on.

        Of two calls with one name in one project exactly one succeeds.
        Raises NameTaken, StorageFailed.
        """

    async def stop(self, session_id: str) -> Session:
        """Begin to stop; returns before all processes have gone.

        Raises NotFound, WrongState, StorageFailed. So do `suspend`, `resume` and `delete`.
        """

    async def suspend(self, session_id: str) -> Session:
        """Begin to stop, keeping the request."""

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a suspended or ended session back into the queue.

        `base_url`, unless empty, is that of the JupyterLab that will show it from now on.
        """

    async def resize(self, session_id: str, share: Share) -> Session:
        """Put a session back into the queue with another share; one that runs stops first."""

    async def delete(self, session_id: str) -> None:
        """Forget a session that has no processes any more, with its log."""


@runtime_checkable
class Backend(Sessions, Inventory, Changes, Protocol):
    """Run sessions on GPUs: all that every backend must be able to do."""

    @property
    def name(self) -> str:
        """Tell the backend's name, `local` for example."""

    @property
    def source(self) -> str:
        """Tell where GPUs come from: `nvml`, `simulated` or `none`."""

    def warnings(self) -> tuple[str, ...]:
        """Say what an admin should hear of; returns at once."""


@runtime_checkable
class Logs(Protocol):
    """Read what sessions print."""

    async def log(self, session_id: str, query: LogQuery) -> LogChunk:
        """Read a part of a log; empty if nothing was printed. Raises NotFound."""


@runtime_checkable
class Exec(Protocol):
    """Run programs inside sessions."""

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Run a program to its end or timeout, never through a shell.

        Raises NotFound, WrongState if the session does not run.
        """

    async def context(self, session_id: str) -> ExecContext:
        """Tell environment variables and folder. Raises NotFound, WrongState."""


@runtime_checkable
class Ingress(Protocol):
    """Let sessions be reached."""

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Tell where a running session listens; `port` 0 is its Jupyter Server.

        Only sockets that the session's own account listens on are ever named.
        Raises NotFound, WrongState, NotAllowed for a port that it does not expose.
        """

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Hear that a person used a session; a signal of its activity. Raises NotFound."""


@runtime_checkable
class History(Protocol):
    """Remember how GPUs were used."""

    async def history(self, window: Window) -> Past:
        """Tell how projects used GPUs in a time; what was not sampled is left out.

        Raises StorageFailed.
        """


@runtime_checkable
class Administration(Protocol):
    """Let admins set projects, rules, node groups and the policy.

    What is asked was checked before. Its `revision` is that of what it was made from, 0 for
    something new; it is refused with Outdated if somebody else was quicker. `who` goes into the
    audit log. Whatever changes something raises Conflict where a file sets projects, and
    StorageFailed; nothing has changed then.
    """

    def is_admin(self, user: str) -> bool:
        """Tell whether a user may change projects; returns at once."""

    def set_by(self) -> SetBy:
        """Tell where projects are set; returns at once."""

    def quota_path(self) -> str:
        """Tell the file that sets projects, empty for none; returns at once."""

    def setting_warnings(self) -> tuple[str, ...]:
        """Say what is wrong with where projects are set; returns at once."""

    def groups(self) -> Groups:
        """Tell the node groups; returns at once."""

    def found_nodes(self) -> tuple[Node, ...]:
        """List nodes as they are found, without the groups set here; returns at once."""

    async def put_project(self, project: Project, who: str) -> Project:
        """Make a project or change one; return it with its new revision. Raises Outdated."""

    async def delete_project(
        self, name: str, revision: int, who: str, *, drain: bool
    ) -> Project | None:
        """Delete a project; with `drain` return it as long as it has sessions.

        A `revision` of 0 deletes it whatever it is. Raises NotFound, InUse, Outdated.
        """

    async def put_rules(self, rules: Rules, who: str) -> Rules:
        """Change the rules; return them with their new revision. Raises Outdated."""

    async def put_groups(self, groups: Groups, who: str) -> Groups:
        """Change the node groups; return them with their new revision. Raises Outdated."""

    async def put_policy(self, policy: Policy, who: str) -> Policy:
        """Change the policy as a whole; return it with its new revision. Raises Outdated."""

    async def audit(self) -> tuple[AuditEntry, ...]:
        """List who changed what, newest first."""


@runtime_checkable
class Policing(Protocol):
    """Act on idle sessions as the policy says; what is not awaited returns at once."""

    def policy(self) -> Policy:
        """Tell what is set of the policy."""

    @property
    def interval(self) -> int:
        """Tell the seconds between two looks at a session."""

    def ruling(self, session_id: str) -> Ruling:
        """Say what the policy comes to for a session now. Raises NotFound."""

    def activity(self, session_id: str) -> Activity:
        """Tell what is known of a session's activity. Raises NotFound, WrongState."""

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return what was recorded of the sessions' activity. Raises StorageFailed."""

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive for `span` seconds, 0 for the usual time.

        Raises NotFound, WrongState for one that does not run, NotAllowed beyond the policy.
        """
