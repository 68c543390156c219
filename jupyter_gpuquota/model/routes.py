"""The REST interface as data: one row a route.

Handlers, the OpenAPI document, the front end's typed calls, the Python client and the table of
permissions are all made from these rows. Paths are relative to `<base_url>gpuquota/api`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .about import About, ChangesQuery, Revisions
from .base import Nothing, Page
from .environments import Environments
from .history import History, HistoryQuery
from .nodes import Nodes
from .projects import (
    AuditEntry,
    AuditQuery,
    ChangePreview,
    Groups,
    GroupsRequest,
    ProjectAnswer,
    ProjectRemoval,
    ProjectRequest,
    Projects,
    RulesRequest,
    SettingsChange,
)
from .quota import Quota, Rules
from .rightsizing import Advice, ResizeRequest
from .sessions import (
    Endpoint,
    EndpointQuery,
    ExecContext,
    ExecRequest,
    ExecResult,
    LogChunk,
    LogQuery,
    Preview,
    ResumeRequest,
    Session,
    SessionQuery,
    SessionRequest,
)

Permission = Literal["read", "write", "admin"]


@dataclass(frozen=True, slots=True)
class Route:
    """Describe one route.

    `name` is `noun.verb` and selects the use case of the same name in `services`. `noun`, if
    set, is what the answer is a view of: its revision makes the ETag. `internal` routes are
    served on the controller's socket only, never through JupyterLab. `status` is the one of
    success. `admin` routes are for those only who may change projects.
    """

    name: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    response: Any
    summary: str
    request: Any = None
    query: Any = None
    noun: str = ""
    internal: bool = False
    status: int = 200
    admin: bool = False

    @property
    def permission(self) -> Permission:
        """Tell the right that a user needs: GET reads, others write, and some are an admin's."""
        if self.admin:
            return "admin"
        return "read" if self.method == "GET" else "write"


ROUTES: tuple[Route, ...] = (
    Route("about.get", "GET", "/about", About, "Introduce the backend"),
    Route(
        "changes.wait",
        "GET",
        "/changes",
        Revisions,
        "Wait until something changes",
        query=ChangesQuery,
        internal=True,
    ),
    Route(
        "sessions.list",
        "GET",
        "/sessions",
        Page[Session],
        "List sessions, oldest first",
        query=SessionQuery,
        noun="sessions",
    ),
    Route(
        "sessions.create",
        "POST",
        "/sessions",
        Session,
        "Ask for a session",
        request=SessionRequest,
        status=201,
    ),
    Route(
        "sessions.preview",
        "POST",
        "/sessions/preview",
        Preview,
        "Say what would happen to a request",
        request=SessionRequest,
    ),
    Route("sessions.get", "GET", "/sessions/{id}", Session, "Show a session", noun="sessions"),
    Route(
        "sessions.advice",
        "GET",
        "/sessions/{id}/advice",
        Advice,
        "Say which share a session would do with, by what it has used",
    ),
    Route(
        "sessions.delete",
        "DELETE",
        "/sessions/{id}",
        Nothing,
        "Forget a session that has ended, with its log",
    ),
    Route("sessions.stop", "POST", "/sessions/{id}/stop", Session, "Stop a session"),
    Route(
        "sessions.suspend",
        "POST",
        "/sessions/{id}/suspend",
        Session,
        "Stop a session and keep its request, so that it can resume",
    ),
    Route(
        "sessions.resume",
        "POST",
        "/sessions/{id}/resume",
        Session,
        "Put a suspended or ended session back into the queue",
        request=ResumeRequest,
    ),
    Route(
        "sessions.resize",
        "POST",
        "/sessions/{id}/resize",
        Session,
        "Start a session again with another share; one that runs is stopped first",
        request=ResizeRequest,
    ),
    Route("sessions.log", "GET", "/sessions/{id}/log", LogChunk, "Read its log", query=LogQuery),
    Route(
        "sessions.exec",
        "POST",
        "/sessions/{id}/exec",
        ExecResult,
        "Run a program inside a running session's environment and share",
        request=ExecRequest,
    ),
    Route(
        "sessions.endpoint",
        "GET",
        "/sessions/{id}/endpoint",
        Endpoint,
        "Tell the ingress where a session listens",
        query=EndpointQuery,
        internal=True,
    ),
    Route(
        "sessions.context",
        "GET",
        "/sessions/{id}/context",
        ExecContext,
        "Tell a terminal of the same account how to be inside a session",
        internal=True,
    ),
    Route("quota.get", "GET", "/quota", Quota, "Show projects and their use", noun="quota"),
    Route(
        "history.get",
        "GET",
        "/history",
        History,
        "Show how projects used GPUs over time",
        query=HistoryQuery,
    ),
    Route("nodes.list", "GET", "/nodes", Nodes, "Show nodes, devices and slices", noun="nodes"),
    Route(
        "environments.list",
        "GET",
        "/environments",
        Environments,
        "List the Python prefixes that sessions may start from",
    ),
    Route(
        "projects.list",
        "GET",
        "/projects",
        Projects,
        "Show the projects as they are set",
        noun="quota",
    ),
    Route(
        "projects.put",
        "PUT",
        "/projects/{name}",
        ProjectAnswer,
        "Make a project, or change one",
        request=ProjectRequest,
        admin=True,
    ),
    Route(
        "projects.delete",
        "DELETE",
        "/projects/{name}",
        ProjectAnswer,
        "Delete a project, or let it drain",
        query=ProjectRemoval,
        admin=True,
    ),
    Route("rules.get", "GET", "/rules", Rules, "Show what holds for all projects"),
    Route(
        "rules.put",
        "PUT",
        "/rules",
        Rules,
        "Change what holds for all projects",
        request=RulesRequest,
        admin=True,
    ),
    Route("groups.get", "GET", "/groups", Groups, "Show the node groups"),
    Route(
        "groups.put",
        "PUT",
        "/groups",
        Groups,
        "Change the node groups",
        request=GroupsRequest,
        admin=True,
    ),
    Route(
        "settings.preview",
        "POST",
        "/settings/preview",
        ChangePreview,
        "Say what a change of projects, rules or node groups would do",
        request=SettingsChange,
        admin=True,
    ),
    Route(
        "audit.list",
        "GET",
        "/audit",
        Page[AuditEntry],
        "Show who changed what, newest first",
        query=AuditQuery,
        admin=True,
    ),
)


def route(name: str) -> Route:
    """Find a route by its name; raises KeyError for a name that is not in the table."""
    return _BY_NAME[name]


_BY_NAME = {row.name: row for row in ROUTES}
