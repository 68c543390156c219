"""The lakes of admins, opened with the credentials in Secrets of the cluster."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec

from ...control.datasets.opening import open_lake
from ...errors import Unavailable
from ...model.datasets.datasets import Lake
from ...store.lake.connection import Connection, connect
from ..api import Api, Fault
from ..faults import error as explained
from ..resources import SECRETS

_ELSEWHERE = (403, 404)
"""Answers for a Secret that is not in a namespace, or not for the controller."""

_Value = Annotated[str, msgspec.Meta(description="base64")]


class _Secret(msgspec.Struct, frozen=True):
    """What a Secret contains."""

    data: Mapping[str, _Value] = msgspec.field(default_factory=dict)


class SecretLakes:
    """Opens lakes; Secrets are read before, from the first of some namespaces that has them.

    Those are `shared`, the controller's own, and the namespaces of the projects that may use the
    lake: nobody else decides which server it is on.
    """

    def __init__(self, api: Api, shared: str) -> None:
        self._api = api
        self._shared = shared
        self._variables: dict[Lake, Mapping[str, str]] = {}
        self._problems: dict[Lake, str] = {}

    async def read(self, lakes: Iterable[Lake], projects: Iterable[str]) -> set[str]:
        """Read the Secrets of lakes; return the names of lakes whose variables have changed."""
        wanted, there = [lake for lake in lakes if _is_secret(lake)], list(projects)
        before = self._variables
        self._variables = {lake: before[lake] for lake in wanted if lake in before}
        self._problems = {}
        for lake in wanted:
            users = [name for name in there if not lake.projects or name in lake.projects]
            namespaces = dict.fromkeys((self._shared, self._api.namespace, *users))
            await self._read(lake, [each for each in namespaces if each])
        found = self._variables.items()
        return {lake.name for lake, variables in found if before.get(lake) != variables}

    def open(self, lake: Lake) -> Connection:
        """Return the objects of a lake. Raises InvalidFields, Unavailable, StorageFailed."""
        if not _is_secret(lake):
            return open_lake(lake)
        if lake not in self._variables:
            why = self._problems.get(lake, "It was not read yet.")
            raise Unavailable(f"The Secret {lake.credentials} cannot be used. {why}")
        return connect(lake.url, self._variables[lake])

    async def _read(self, lake: Lake, namespaces: Iterable[str]) -> None:
        """Read one Secret; without an answer, what was read last remains in use."""
        for namespace in namespaces:
            try:
                body = await self._api.read(SECRETS.path(namespace, lake.credentials))
                self._variables[lake] = _decoded(body)
            except Fault as fault:
                self._problems[lake] = explained(fault).message
                if fault.status in _ELSEWHERE:
                    continue
            except (ValueError, msgspec.DecodeError):
                self._problems[lake] = f"Its content in {namespace} is not text."
            return
        self._variables.pop(lake, None)  # it is in none of them


def _is_secret(lake: Lake) -> bool:
    return bool(lake.credentials) and not lake.credentials.startswith("/")


def _decoded(body: bytes) -> dict[str, str]:
    """Return the variables of a Secret. Raises ValueError, DecodeError."""
    secret = msgspec.json.decode(body, type=_Secret)
    return {key: base64.b64decode(text).decode() for key, text in secret.data.items()}
