"""Which engine a cluster has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from ...errors import NotAllowed, Unsupported
from ..api import Api, Fault
from ..namespaces import everywhere, visible
from ..resources import NAMESPACES, RESOURCE_QUOTAS
from .engine import Engine
from .kai.engine import KaiEngine
from .kai.objects import GROUP as KAI_GROUP
from .kai.objects import KAI_PROJECTS, PROJECTS_GROUP, PROJECTS_VERSION, QUEUES, KaiProject
from .kai.objects import VERSION as KAI_VERSION
from .kai.queues import find_queues
from .kueue.engine import KueueEngine
from .kueue.objects import GROUP, LOCAL_QUEUES, VERSION
from .no_engine import NoEngine
from .resource_quota.engine import ResourceQuotaEngine
from .resource_quota.quotas import find_quotas
from .surroundings import Surroundings, versions

_FORBIDDEN = 403
Name = Literal["kueue", "kai", "resourcequota", "none"]

ENGINES: Mapping[Name, Callable[[Surroundings], Engine]] = {
    "kueue": KueueEngine,
    "kai": KaiEngine,
    "resourcequota": ResourceQuotaEngine,
    "none": NoEngine,
}
"""The engines by name, one per line; a further one is a folder and a line."""


async def discover(around: Surroundings, pinned: Name | Literal["auto"] = "auto") -> Engine:
    """Return the engine of a cluster, or the one that an administrator has pinned.

    It is the first that is in use: Kueue if a LocalQueue exists, KAI Scheduler if a namespace has a
    Queue, ResourceQuotas if one limits GPUs. Raises Unsupported where a pinned one is not
    installed, NotAllowed where KAI's queues may not be read, so that sessions would bypass its
    quotas, Fault where the server does not respond.
    """
    name: Name
    if pinned == "kueue":
        await _check(around.api, "kueue", "Kueue", GROUP, VERSION)
    elif pinned == "kai":
        await _check(around.api, "kai", "KAI Scheduler", KAI_GROUP, KAI_VERSION)
        await _check_readable(around.api)
    if pinned != "auto":
        name = pinned
    elif await _uses_kueue(around):
        name = "kueue"
    elif await _uses_kai(around):
        name = "kai"
    elif await _uses_quotas(around):
        name = "resourcequota"
    else:
        await _check_readable(around.api)
        name = "none"
    return ENGINES[name](around)


async def _check(api: Api, name: Name, title: str, group: str, version: str) -> None:
    """Raise Unsupported unless an engine is there in a version that is understood."""
    served = await versions(api, group)
    if version in served:
        return
    if served:
        raise Unsupported(
            f"KubernetesConfig.engine is {name}, but this {title} serves {', '.join(served)} only, "
            f"not {version}.",
            hint=f"Update {title}.",
        )
    raise Unsupported(
        f"KubernetesConfig.engine is {name}, but {title} is not installed: the cluster has no API "
        f"{group}/{version}.",
        hint=f"Install {title}, or set KubernetesConfig.engine to auto.",
    )


async def _check_readable(api: Api) -> None:
    """Raise NotAllowed where KAI Scheduler is installed, and its queues may not be read."""
    if KAI_VERSION not in await versions(api, KAI_GROUP):
        return
    try:
        await api.list(QUEUES)
    except Fault as fault:
        if fault.status != _FORBIDDEN:
            raise
        raise NotAllowed(
            "KAI Scheduler is installed on this cluster, and you may not read its queues: your "
            "sessions would bypass its quotas.",
            hint="Ask an administrator for the ClusterRole jupyter-gpuquota-reader, or use the "
            "team's controller (JUPYTER_GPUQUOTA_URL). If KAI has no part in your GPUs, set "
            'c.KubernetesConfig.engine = "none".',
        ) from fault


async def _uses_kueue(around: Surroundings) -> bool:
    if VERSION not in await versions(around.api, GROUP):
        return False
    async for found in everywhere(around.api, LOCAL_QUEUES, around.namespaces):
        if found:
            return True
    return False


async def _uses_kai(around: Surroundings) -> bool:
    if KAI_VERSION not in await versions(around.api, KAI_GROUP):
        return False
    queues = [queue async for each in everywhere(around.api, QUEUES) for queue in each]
    listed = [each async for found in everywhere(around.api, NAMESPACES) for each in found]
    projects: list[KaiProject] = []
    if PROJECTS_VERSION in await versions(around.api, PROJECTS_GROUP):
        projects = [each async for found in everywhere(around.api, KAI_PROJECTS) for each in found]
    named = around.namespaces or visible(around.api, ())
    found = find_queues(queues, listed, projects, named)
    return any(not around.namespaces or name in around.namespaces for name in found)


async def _uses_quotas(around: Surroundings) -> bool:
    async for found in everywhere(around.api, RESOURCE_QUOTAS, around.namespaces):
        if find_quotas(found, around.settings.gpus):
            return True
    return False
