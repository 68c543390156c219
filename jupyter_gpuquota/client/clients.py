"""The two clients: the same nouns and verbs, one blocking, one for `await`."""

from __future__ import annotations

from functools import partial
from os import PathLike
from pathlib import Path

from ..hosting.config_files import Choice, Reader, read_apart
from . import about, audit, discovery, groups, history, idleness
from .context import Context
from .senders import Awaiting, Blocking, awaiting, blocking
from .transport import Transport


def _context(
    url: str,
    token: str,
    state_dir: str | PathLike[str] | None,
    backend: str,
    project: str,
    transport: Transport | None,
    read: Reader,
) -> Context:
    if transport is not None:
        return Context(lambda: transport, project)
    folder = "" if state_dir is None else str(Path(state_dir).expanduser().absolute())
    named = Choice(backend, folder)
    return Context(partial(discovery.find, url=url, token=token, named=named, read=read), project)


class Client(Blocking):
    """Launch and see GPU sessions.

        Client().sessions.submit("exp1", gpu=0.5, kind="interactive")
        Client().sessions.list()
        Client().sessions.stop("exp1")

    Without arguments it finds its server on first use: see `discovery` for the order. `url`,
    with a `token`, names a Jupyter Server; `state_dir` and `backend` a controller of this
    machine. `project` is taken wherever none is named.
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
        super().__init__(_context(url, token, state_dir, backend, project, transport, read))
        self.sessions = groups.Sessions(self.context)
        self.quota = groups.Quotas(self.context)
        self.projects = groups.Projects(self.context)
        self.rules = groups.Rules(self.context)
        self.policy = groups.Policies(self.context)
        self.node_groups = groups.NodeGroups(self.context)
        self.nodes = groups.Nodes(self.context)
        self.environments = groups.Environments(self.context)

    about = blocking(about.get)
    audit = blocking(audit.list_)
    history = blocking(history.table)
    activity = blocking(idleness.activity)
    keep_alive = blocking(idleness.keep_alive)


class AsyncClient(Awaiting):
    """Launch and see GPU sessions from coroutines; the same as `Client` otherwise."""

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
        super().__init__(_context(url, token, state_dir, backend, project, transport, read))
        self.sessions = groups.AsyncSessions(self.context)
        self.quota = groups.AsyncQuotas(self.context)
        self.projects = groups.AsyncProjects(self.context)
        self.rules = groups.AsyncRules(self.context)
        self.policy = groups.AsyncPolicies(self.context)
        self.node_groups = groups.AsyncNodeGroups(self.context)
        self.nodes = groups.AsyncNodes(self.context)
        self.environments = groups.AsyncEnvironments(self.context)

    about = awaiting(about.get)
    audit = awaiting(audit.list_)
    history = awaiting(history.table)
    activity = awaiting(idleness.activity)
    keep_alive = awaiting(idleness.keep_alive)
