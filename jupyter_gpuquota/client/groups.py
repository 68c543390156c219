"""The operations of each noun as methods, once blocking and once awaiting."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from typing import Literal, overload

from ..model.programs import ExecEvent
from ..model.sessions import Session
from . import (
    addresses,
    environments,
    nodegroups,
    nodes,
    policy,
    programs,
    projects,
    quota,
    rightsizing,
    rules,
    sessions,
)
from .senders import Awaiting, Blocking, awaiting, blocking


class Sessions(Blocking):
    """Launch, see and end sessions."""

    submit = blocking(sessions.submit)
    preview = blocking(sessions.preview)
    list = blocking(sessions.list_)
    get = blocking(sessions.get)
    advice = blocking(rightsizing.advice)
    resize = blocking(rightsizing.resize)
    url = blocking(addresses.url)
    exec = blocking(programs.exec_)
    suspend = blocking(sessions.suspend)
    resume = blocking(sessions.resume)
    stop = blocking(sessions.stop)
    delete = blocking(sessions.delete)

    @overload
    def logs(
        self,
        name: str,
        *,
        project: str = "",
        tail: int | None = None,
        follow: Literal[False] = False,
    ) -> str: ...

    @overload
    def logs(
        self, name: str, *, project: str = "", tail: int | None = None, follow: Literal[True]
    ) -> Iterator[str]: ...

    def logs(
        self, name: str, *, project: str = "", tail: int | None = None, follow: bool = False
    ) -> str | Iterator[str]:
        """Return the log, or its last `tail` lines; `follow` iterates over it until the end."""
        if not follow:
            return self.run(sessions.log(self.context, name, project=project, tail=tail)).text
        chunks = self.stream(sessions.follow(self.context, name, project=project, tail=tail))
        return (chunk.text for chunk in chunks)

    def exec_stream(
        self, name: str, command: Sequence[str], *, project: str = "", timeout: int = 60
    ) -> Iterator[ExecEvent]:
        """Iterate over what a program prints while it runs, and its result; leaving ends it."""
        running = programs.exec_stream(
            self.context, name, command, project=project, timeout=timeout
        )
        return self.stream(running)

    def watch(self, name: str, *, project: str = "") -> Iterator[Session]:
        """Iterate over the session's changes until it runs or rests."""
        return self.stream(sessions.watch(self.context, name, project=project))


class AsyncSessions(Awaiting):
    """Launch, see and end sessions."""

    submit = awaiting(sessions.submit)
    preview = awaiting(sessions.preview)
    list = awaiting(sessions.list_)
    get = awaiting(sessions.get)
    advice = awaiting(rightsizing.advice)
    resize = awaiting(rightsizing.resize)
    url = awaiting(addresses.url)
    exec = awaiting(programs.exec_)
    suspend = awaiting(sessions.suspend)
    resume = awaiting(sessions.resume)
    stop = awaiting(sessions.stop)
    delete = awaiting(sessions.delete)

    @overload
    def logs(
        self,
        name: str,
        *,
        project: str = "",
        tail: int | None = None,
        follow: Literal[False] = False,
    ) -> Awaitable[str]: ...

    @overload
    def logs(
        self, name: str, *, project: str = "", tail: int | None = None, follow: Literal[True]
    ) -> AsyncIterator[str]: ...

    def logs(
        self, name: str, *, project: str = "", tail: int | None = None, follow: bool = False
    ) -> Awaitable[str] | AsyncIterator[str]:
        """Return the log, or its last `tail` lines; `follow` iterates over it until the end."""
        if not follow:
            return self._log(name, project, tail)
        chunks = self.stream(sessions.follow(self.context, name, project=project, tail=tail))
        return (chunk.text async for chunk in chunks)

    def exec_stream(
        self, name: str, command: Sequence[str], *, project: str = "", timeout: int = 60
    ) -> AsyncIterator[ExecEvent]:
        """Iterate over what a program prints while it runs, and its result; leaving ends it."""
        running = programs.exec_stream(
            self.context, name, command, project=project, timeout=timeout
        )
        return self.stream(running)

    def watch(self, name: str, *, project: str = "") -> AsyncIterator[Session]:
        """Iterate over the session's changes until it runs or rests."""
        return self.stream(sessions.watch(self.context, name, project=project))

    async def _log(self, name: str, project: str, tail: int | None) -> str:
        return (await self.run(sessions.log(self.context, name, project=project, tail=tail))).text


class Quotas(Blocking):
    """See what projects have, hold and wait for."""

    get = blocking(quota.get)


class AsyncQuotas(Awaiting):
    """See what projects have, hold and wait for."""

    get = awaiting(quota.get)


class Projects(Blocking):
    """See projects as they are set; set, try and delete them as an admin."""

    list = blocking(projects.list_)
    get = blocking(projects.get)
    put = blocking(projects.put)
    delete = blocking(projects.delete)
    preview = blocking(projects.preview)


class AsyncProjects(Awaiting):
    """See projects as they are set; set, try and delete them as an admin."""

    list = awaiting(projects.list_)
    get = awaiting(projects.get)
    put = awaiting(projects.put)
    delete = awaiting(projects.delete)
    preview = awaiting(projects.preview)


class Rules(Blocking):
    """See what holds for all projects; try and change it as an admin."""

    get = blocking(rules.get)
    put = blocking(rules.put)
    preview = blocking(rules.preview)


class AsyncRules(Awaiting):
    """See what holds for all projects; try and change it as an admin."""

    get = awaiting(rules.get)
    put = awaiting(rules.put)
    preview = awaiting(rules.preview)


class Policies(Blocking):
    """See what is done with idle sessions, and why; set and try it as an admin."""

    get = blocking(policy.get)
    set = blocking(policy.set_)
    unset = blocking(policy.unset)
    preview = blocking(policy.preview)
    explain = blocking(policy.explain)
    exempt = blocking(policy.exempt)
    unexempt = blocking(policy.unexempt)


class AsyncPolicies(Awaiting):
    """See what is done with idle sessions, and why; set and try it as an admin."""

    get = awaiting(policy.get)
    set = awaiting(policy.set_)
    unset = awaiting(policy.unset)
    preview = awaiting(policy.preview)
    explain = awaiting(policy.explain)
    exempt = awaiting(policy.exempt)
    unexempt = awaiting(policy.unexempt)


class NodeGroups(Blocking):
    """See node groups; set, try and delete them as an admin."""

    list = blocking(nodegroups.list_)
    put = blocking(nodegroups.put)
    delete = blocking(nodegroups.delete)
    preview = blocking(nodegroups.preview)


class AsyncNodeGroups(Awaiting):
    """See node groups; set, try and delete them as an admin."""

    list = awaiting(nodegroups.list_)
    put = awaiting(nodegroups.put)
    delete = awaiting(nodegroups.delete)
    preview = awaiting(nodegroups.preview)


class Nodes(Blocking):
    """See nodes and devices."""

    list = blocking(nodes.list_)


class AsyncNodes(Awaiting):
    """See nodes and devices."""

    list = awaiting(nodes.list_)


class Environments(Blocking):
    """See what sessions may start from."""

    list = blocking(environments.list_)


class AsyncEnvironments(Awaiting):
    """See what sessions may start from."""

    list = awaiting(environments.list_)
