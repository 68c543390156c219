"""Who is an admin: whom the configuration names, else the account on the socket."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.memory import backend as memory
from jupyter_gpuquota.memory.config import MemoryConfig

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def account(monkeypatch) -> None:
    """Run as the account `gpuquota`."""
    monkeypatch.setenv("LOGNAME", "gpuquota")


async def is_admin(name: str, known: str, *admins: str, groups: tuple[str, ...] = ()) -> bool:
    control = GpuQuota(admins=list(admins))
    access = memory.open_memory(control, MemoryConfig(), Path("/nowhere")).access
    return (await access.rights(Caller(name, frozenset(groups), known=known))).admin


@pytest.mark.parametrize("known", ["jupyterhub", "token", ""])
@pytest.mark.parametrize("name", ["gpuquota", "root"])
async def test_the_name_of_an_account_means_nothing_elsewhere(name, known):
    assert await is_admin(name, "socket")
    assert not await is_admin(name, known)


async def test_named_admins_are_admins_however_they_are_known():
    for known in ("socket", "jupyterhub", "token"):
        assert await is_admin("ana", known, "ana")
        assert await is_admin("ana", known, "group:ops", groups=("ops",))
        assert not await is_admin("gpuquota", known, "ana")
