"""State of earlier versions is read: revisions were numbers."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import Outdated
from jupyter_gpuquota.model.policy import PolicyLevel, PolicyRules
from jupyter_gpuquota.model.projects import NodeGroup
from jupyter_gpuquota.model.struct import Page
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ui.views.projects import AuditView
from tests.contract.backend_contract import launch, until

pytestmark = pytest.mark.asyncio


def numbered(kept: Any) -> Any:
    """Return what is kept with revisions as numbers, also inside the audit log's documents."""
    if isinstance(kept, list):
        return [numbered(part) for part in kept]
    if not isinstance(kept, dict):
        return kept
    found = {name: numbered(part) for name, part in kept.items()}
    for name in {"before", "after"} & found.keys():
        found[name] = found[name] and rewritten(found[name].encode()).decode()
    if "revision" in found:
        found["revision"] = int(found["revision"] or 0)
    return found


def rewritten(body: bytes) -> bytes:
    return msgspec.json.encode(numbered(msgspec.json.decode(body)))


def make_earlier(home: Path) -> None:
    """Rewrite all that is kept in a state folder as an earlier version did."""
    with sqlite3.connect(home / "state.db") as connection:
        for table in ("sessions", "projects", "settings", "audit"):  # our names: nothing to inject
            rows = connection.execute(f"SELECT rowid, body FROM {table}").fetchall()  # noqa: S608
            assert rows
            for row, body in rows:
                assert rewritten(body) != body
                connection.execute(
                    f"UPDATE {table} SET body = ? WHERE rowid = ?",  # noqa: S608
                    (rewritten(body), row),
                )
    connection.close()
    for path in (home / "settings.json", *home.glob("sessions/*/session.json")):
        path.write_bytes(rewritten(path.read_bytes()))


async def set_everything(backend: Backend) -> tuple[Any, ...]:
    """Change each thing that admins set; return what is set then."""
    able = backend.administration
    await able.put_project(replace(backend.inventory.projects()[0], quota=5000), "ana")
    await able.put("rules", replace(backend.inventory.rules(), grace=7), "ana")
    group = NodeGroup(name="big", nodes=(backend.inventory.nodes()[0].name,))
    await able.put("groups", replace(able.groups(), items=(group,)), "ana")
    level = PolicyLevel(level="everyone", rules=PolicyRules(idle_timeout=3600))
    await able.put("policy", replace(backend.policing.policy(), levels=(level,)), "ana")
    return what_is_set(backend)


def what_is_set(backend: Backend) -> tuple[Any, ...]:
    found, groups = backend.inventory, backend.administration.groups()
    return found.projects(), found.rules(), groups, backend.policing.policy()


@pytest.mark.parametrize("damaged", [False, True])
async def test_numbers_are_read(make, settings, damaged):
    backend = await make()
    seen = backend.inventory.projects()[0]
    wanted = await set_everything(backend)
    session = await until(backend, (await launch(backend)).id, "running")
    await backend.resident.close()
    home = Path(settings["home"])
    make_earlier(home)
    if damaged:
        (home / "state.db").write_bytes(b"not a database" * 1000)
    again = await make()
    assert what_is_set(again) == wanted
    assert [found.id for found in again.sessions.all()] == [session.id]
    with pytest.raises(Outdated):
        await again.administration.put_project(replace(seen, quota=1000), "ben")
    changed = await again.administration.put_project(replace(wanted[0][0], quota=1000), "ben")
    assert changed.revision not in {part.revision for part in (*wanted[0], *wanted[1:])}


async def test_the_audit_log_is_read(make, settings):
    backend = await make()
    await set_everything(backend)
    await until(backend, (await launch(backend)).id, "running")
    await backend.resident.close()
    make_earlier(Path(settings["home"]))
    entries = await (await make()).administration.audit()
    page = Page(items=entries, total=len(entries), revision=entries[0].id)
    assert "idle_timeout" in AuditView(page).text
