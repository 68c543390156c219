"""Reviews of rights by the API server (`authorization.k8s.io/v1`)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterable, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, TypeVar

import msgspec

from ...control.answers import Answers, Clock
from ...core.access import Caller, VolumeRight
from ...errors import Unavailable
from ...model.routes.route import Need
from .. import faults
from ..api import Api, Fault
from ..resources import Resource
from .roles import OWN, Right, RoleTable, Standing


class KindRights:
    """Asks for the rights on kinds of objects; answers are at most a minute old."""

    def __init__(self, api: Api, clock: Clock = time.monotonic) -> None:
        self._reviews = Reviews(api, OWN, clock)
        self._known: Answers[tuple[str, str, Sequence[str]], str] = Answers(
            lambda _: KNOWN, clock=clock, renew=RENEW
        )

    async def lacking(self, kind: Resource[Any], project: str, verbs: Sequence[str]) -> str:
        """Return the first right that is missing in a project, as `create mpijobs`, empty for none.

        While the cluster does not say, none is: the write itself will tell.
        """
        rights = [Right(verb, kind.plural, kind.group) for verb in verbs]

        async def ask() -> str:
            found = await asyncio.gather(
                *(self._reviews.allowed(None, right, project) for right in rights)
            )
            lacking = (right for right, has in zip(rights, found, strict=True) if not has)
            return str(next(lacking, ""))

        try:
            return await self._known.get((kind.path(), project, verbs), ask)
        except Unavailable:
            return ""


KNOWN = 60.0
"""Seconds for which an answer is cached."""
DOUBTED = 5.0
"""The same for a refusal with an error: a server that starts has not read all rules yet."""
RENEW = 30.0
"""Seconds before its end in which an answer that is used is renewed."""

_REVIEWS = "/apis/authorization.k8s.io/v1"
_SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_AT_ONCE = 16
_FORBIDDEN = 403
_MANY = 65_536

T = TypeVar("T")

_Question = tuple[Caller | None, str]
"""User and project; None for one's own credentials, empty for all projects."""


class _Answer(msgspec.Struct, frozen=True, rename="camel"):
    allowed: bool = False
    denied: bool = False
    evaluation_error: str = ""


class _Reviewed(msgspec.Struct, frozen=True):
    status: _Answer = _Answer()


class _User(msgspec.Struct, frozen=True):
    username: str = ""
    groups: tuple[str, ...] = ()


class _Named(msgspec.Struct, frozen=True, rename="camel"):
    user_info: _User = _User()


class _Myself(msgspec.Struct, frozen=True):
    status: _Named = _Named()


class Reviews:
    """Asks what users may do in projects, for a table of roles.

    At most 16 reviews are sent at once. Without a user, they are about the own credentials.
    """

    def __init__(self, api: Api, table: RoleTable, clock: Clock = time.monotonic) -> None:
        self.table = table
        self._api = api
        self._known: Answers[_Question, Standing] = Answers(_lifetime, _MANY, clock, RENEW)
        self._admins: Answers[_Question, bool] = Answers(lambda _: KNOWN, _MANY, clock, RENEW)
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._doubts = 0

    async def standings(self, user: Caller | None, projects: Iterable[str]) -> dict[str, Standing]:
        """Return what a user may do in each project. Raises Unavailable."""
        questions = {project: (user, project) for project in projects}
        found = {project: self._known.known(asked) for project, asked in questions.items()}
        due = [project for project, asked in questions.items() if self._known.due(asked)]
        answers = await _all(
            self._known.get(questions[project], partial(self._climb, user, project))
            for project in due
        )
        found.update(zip(due, answers, strict=True))
        return {project: standing for project, standing in found.items() if standing}

    async def is_admin(self, user: Caller | None) -> bool:
        """Return whether a user has all rights of an admin. Raises Unavailable."""
        if not self.table.admin:
            return False
        rights = self.table.admin
        return await self._admins.get((user, ""), lambda: self._all_allowed(user, rights, ""))

    async def allowed(self, user: Caller | None, right: Right, project: str) -> bool:
        """Return whether a user has a right in a project. Raises Unavailable."""
        kind = "SubjectAccessReview" if user else "SelfSubjectAccessReview"
        attributes = {
            "namespace": project,
            "verb": right.verb,
            "group": right.group,
            "resource": right.resource,
            "subresource": right.subresource,
        }
        body = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": kind,
            "spec": {**_who(user), "resourceAttributes": attributes},
        }
        async with self._slots:
            try:
                answer = await self._api.ask(f"{_REVIEWS}/{kind.lower()}s", body)
                status = msgspec.json.decode(answer, type=_Reviewed).status
            except (Fault, msgspec.MsgspecError) as error:
                raise unanswered("what you may do", error) from error
        allowed = status.allowed and not status.denied
        self._doubts += bool(status.evaluation_error and not allowed)
        return allowed

    async def _climb(self, user: Caller | None, project: str) -> Standing:
        """Return the highest role whose rights the user has, and what it lacks.

        Only where the user sees a project, everything else is asked, all at once: a slow server is
        waited for twice.
        """
        doubts = self._doubts
        (first, see), *higher = self.table.ladder
        if not await self._all_allowed(user, see, project):
            return Standing(certain=self._doubts == doubts)
        needs = self.table.needs
        granted, allowed = await asyncio.gather(
            _all(self._all_allowed(user, rights, project) for _, rights in higher),
            _all(self.allowed(user, right, project) for right in needs.values()),
        )
        reached = takewhile(lambda rung: rung[1], zip(higher, granted, strict=True))
        role = [first, *(role for (role, _), _ in reached)][-1]
        withheld = frozenset[Need | VolumeRight]()
        if role != "viewer":
            withheld = frozenset(n for n, has in zip(needs, allowed, strict=True) if not has)
        return Standing(role, withheld, certain=self._doubts == doubts)

    async def _all_allowed(
        self, user: Caller | None, rights: Iterable[Right], project: str
    ) -> bool:
        return all(await _all(self.allowed(user, right, project) for right in rights))


def _lifetime(standing: Standing) -> float:
    return KNOWN if standing.certain else DOUBTED


async def myself(api: Api) -> Caller:
    """Return the user of the own credentials (`authentication.k8s.io/v1`). Raises Unavailable."""
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    try:
        found = msgspec.json.decode(await api.ask(_SELF, body), type=_Myself).status.user_info
    except (Fault, msgspec.MsgspecError) as error:
        raise unanswered("who you are", error) from error
    return Caller(found.username, frozenset(found.groups), known="kubernetes")


def unanswered(what: str, error: Exception) -> Unavailable:
    """Return the error for a question that the cluster does not answer; never a right."""
    if isinstance(error, Fault) and error.status != _FORBIDDEN:
        meant = faults.error(error)
        return Unavailable(meant.message, hint=meant.hint)
    return Unavailable(
        f"The cluster does not say {what}: {error}.",
        hint="Try again; administrators find the controller's own rights in docs/kubernetes.md.",
    )


def _who(user: Caller | None) -> dict[str, Any]:
    """Return the fields of a review that name its user.

    They are all that the cluster said of the user, as authorizers may decide by any of it.
    """
    if user is None:
        return {}
    named: dict[str, Any] = {"user": user.name, "groups": sorted(user.groups)}
    extra = {key: list(values) for key, values in user.extra}
    return named | ({"uid": user.uid} if user.uid else {}) | ({"extra": extra} if extra else {})


async def _all(asked: Iterable[Awaitable[T]]) -> list[T]:
    return list(await asyncio.gather(*asked))
