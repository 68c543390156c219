"""The devices of a cluster that pods claim, where a driver for GPUs offers some."""

from __future__ import annotations

from collections.abc import Callable

from .api import Api, Fault
from .engines.served import versions
from .namespaces import CLOSED
from .objects.devices import DeviceObjects
from .resources import DEVICE_GROUP, DEVICE_VERSION, RESOURCE_CLAIMS, RESOURCE_SLICES
from .shares.devices import DRIVER
from .watching.watches import Watches

Devices = Callable[[], DeviceObjects]


async def offers_gpus(api: Api) -> bool:
    """Return whether a driver offers GPUs, as far as one may know. Raises Fault."""
    if DEVICE_VERSION not in await versions(api, DEVICE_GROUP):
        return False
    try:
        found = await api.list(RESOURCE_SLICES, "")
    except Fault as fault:
        if fault.status not in CLOSED:
            raise
        return False
    return any(each.spec.driver == DRIVER for each in found)


def follow(watches: Watches, changed: Callable[[object], None]) -> Devices:
    """Watch devices and claims; return what returns them. `changed` is called after changes."""
    slices, claims = watches.cache(RESOURCE_SLICES), watches.cache(RESOURCE_CLAIMS)
    for cache in (slices, claims):
        cache.subscribe(changed)
    return lambda: DeviceObjects(tuple(slices.values()), tuple(claims.values()))
