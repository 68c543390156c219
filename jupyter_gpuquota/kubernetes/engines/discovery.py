"""Which engine a cluster has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from ...errors import Unsupported
from ..api import Api, Fault
from ..namespaces import CLOSED, everywhere
from ..objects.meta import Record
from ..resources import RESOURCE_QUOTAS
from .engine import Engine
from .kueue.engine import KueueEngine
from .kueue.objects import GROUP, LOCAL_QUEUES, VERSION
from .no_engine import NoEngine
from .resource_quota.engine import ResourceQuotaEngine
from .resource_quota.quotas import find_quotas
from .surroundings import Surroundings

Name = Literal["kueue", "resourcequota", "none"]

ENGINES: Mapping[Name, Callable[[Surroundings], Engine]] = {
    "kueue": KueueEngine,
    "resourcequota": ResourceQuotaEngine,
    "none": NoEngine,
}
"""The engines by name, one per line; a further one is a folder and a line."""


class _Version(Record, frozen=True, kw_only=True):
    version: str


class _Group(Record, frozen=True, kw_only=True):
    versions: tuple[_Version, ...] = ()


async def discover(around: Surroundings, pinned: Name | Literal["auto"] = "auto") -> Engine:
    """Return the engine of a cluster, or the one that an administrator has pinned.

    It is the first that is in use: Kueue if a LocalQueue exists, ResourceQuotas if one limits GPUs.
    Raises Unsupported where a pinned one is not installed, Fault where the server does not respond.
    """
    name: Name
    if pinned == "kueue":
        await _check_kueue(around.api)
    if pinned != "auto":
        name = pinned
    elif await _uses_kueue(around):
        name = "kueue"
    elif await _uses_quotas(around):
        name = "resourcequota"
    else:
        name = "none"
    return ENGINES[name](around)


async def _check_kueue(api: Api) -> None:
    """Raise Unsupported unless Kueue is there in a version that is understood."""
    served = await _versions(api)
    if VERSION in served:
        return
    if served:
        raise Unsupported(
            f"KubernetesConfig.engine is kueue, but this Kueue serves {', '.join(served)} only, "
            f"not {VERSION}.",
            hint="Update Kueue.",
        )
    raise Unsupported(
        f"KubernetesConfig.engine is kueue, but Kueue is not installed: the cluster has no API "
        f"{GROUP}/{VERSION}.",
        hint="Install Kueue, or set KubernetesConfig.engine to auto.",
    )


async def _uses_kueue(around: Surroundings) -> bool:
    if VERSION not in await _versions(around.api):
        return False
    async for found in everywhere(around.api, LOCAL_QUEUES, around.namespaces):
        if found:
            return True
    return False


async def _uses_quotas(around: Surroundings) -> bool:
    async for found in everywhere(around.api, RESOURCE_QUOTAS, around.namespaces):
        if find_quotas(found, around.settings.gpus):
            return True
    return False


async def _versions(api: Api) -> tuple[str, ...]:
    """Return the versions of Kueue's API that the cluster serves."""
    try:
        body = await api.read(f"/apis/{GROUP}")
    except Fault as fault:
        if fault.status not in CLOSED:
            raise
        return ()
    return tuple(each.version for each in msgspec.json.decode(body, type=_Group).versions)
