"""The lakes of admins, opened with the credentials in Secrets of the cluster."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec

from ...control.datasets.opening import open_lake
from ...errors import Unavailable
from ...model.datasets.lakes import Lake
from ...store.lake.connection import Connection, connect
from ..api import Api, Fault
from ..faults import error as explained
from ..resources import SECRETS

_log = logging.getLogger(__name__)

_Value = Annotated[str, msgspec.Meta(description="base64")]


class _Secret(msgspec.Struct, frozen=True):
    """What a Secret contains."""

    data: Mapping[str, _Value] = msgspec.field(default_factory=dict)


class SecretLakes:
    """Opens lakes; Secrets are read before, from the first of some namespaces that has them."""

    def __init__(self, api: Api, shared: str) -> None:
        self._api = api
        self._shared = shared
        self._variables: dict[str, Mapping[str, str]] = {}
        self._problems: dict[str, str] = {}

    async def read(self, lakes: Iterable[Lake], projects: Iterable[str]) -> None:
        """Read the Secrets of lakes that are new, or could not be read before."""
        namespaces = dict.fromkeys((self._shared, self._api.namespace, *projects))
        for name in {lake.credentials for lake in lakes if _is_secret(lake)}:
            if name not in self._variables:
                await self._read(name, [each for each in namespaces if each])

    def open(self, lake: Lake) -> Connection:
        """Return the objects of a lake. Raises InvalidFields, Unavailable, StorageFailed."""
        if not _is_secret(lake):
            return open_lake(lake)
        if lake.credentials not in self._variables:
            why = self._problems.get(lake.credentials, "It was not read yet.")
            raise Unavailable(f"The Secret {lake.credentials} cannot be used. {why}")
        return connect(lake.url, self._variables[lake.credentials])

    async def _read(self, name: str, namespaces: Iterable[str]) -> None:
        for namespace in namespaces:
            try:
                body = await self._api.read(SECRETS.path(namespace, name))
                self._variables[name] = _decoded(body)
            except Fault as fault:
                self._problems[name] = explained(fault).message
            except (ValueError, msgspec.DecodeError):
                self._problems[name] = f"Its content in {namespace} is not text."
            else:
                self._problems.pop(name, None)
                return
        _log.warning("the Secret %s cannot be read: %s", name, self._problems.get(name))


def _is_secret(lake: Lake) -> bool:
    return bool(lake.credentials) and not lake.credentials.startswith("/")


def _decoded(body: bytes) -> dict[str, str]:
    """Return the variables of a Secret. Raises ValueError, DecodeError."""
    secret = msgspec.json.decode(body, type=_Secret)
    return {key: base64.b64decode(text).decode() for key, text in secret.data.items()}
