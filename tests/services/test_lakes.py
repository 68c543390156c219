"""Admins set lakes and rules for cached versions, as they set everything else."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.control.settings.quota_file import Present, read
from jupyter_gpuquota.core.datasets.settings import rules_for
from jupyter_gpuquota.errors import Conflict, InvalidFields, NotAllowed, Outdated
from jupyter_gpuquota.model.datasets.settings import (
    CacheRulesRequest,
    DataSettings,
    DataSettingsRequest,
    LakeRequest,
)
from jupyter_gpuquota.model.projects import AuditQuery
from tests.fakes import ask, make_backend

pytestmark = pytest.mark.asyncio

LAKE = LakeRequest(name="main", url="s3://ours/lake", credentials="/etc/keys")
FILE = """\
projects:
  - {name: team-a, quota: 4}
lakes:
  - {name: main, url: "s3://ours/lake", projects: [team-a]}
cache: {unused: 3d, projects: {team-a: 7d}, datasets: {digits: 0}}
"""


def request(revision: str = "1", **fields: Any) -> DataSettingsRequest:
    return DataSettingsRequest(**{"lakes": (LAKE,), "revision": revision, **fields})


async def test_a_change_has_a_revision_and_an_entry_in_the_audit_log() -> None:
    backend = make_backend()
    before = await ask(backend, "lakes.settings")
    assert before == DataSettings()
    noted = backend.changes.revision("datasets")
    made = await ask(backend, "lakes.put", body=request(before.revision))
    assert [lake.name for lake in made.lakes] == ["main"]
    assert await ask(backend, "lakes.settings") == made
    assert backend.changes.revision("datasets") != noted
    with pytest.raises(Outdated, match="changed the settings of datasets"):
        await ask(backend, "lakes.put", body=request(before.revision, lakes=()))
    entry = (await ask(backend, "audit.list", query=AuditQuery())).items[0]
    assert (entry.who, entry.what) == ("me", "changed the settings of datasets")
    assert msgspec.json.decode(entry.after)["lakes"][0]["url"] == "s3://ours/lake"


async def test_only_admins_change_and_see_them() -> None:
    backend = make_backend(admins=("root",))
    for name, body in (("settings", None), ("put", request()), ("preview", request())):
        with pytest.raises(NotAllowed):
            await ask(backend, f"lakes.{name}", "me", body=body)


async def test_a_preview_changes_nothing_and_refuses_the_same() -> None:
    backend = make_backend()
    found = await ask(backend, "lakes.preview", body=request())
    assert found.message == "No cached version would go now."
    assert await ask(backend, "lakes.settings") == DataSettings()
    bad = request(cache=CacheRulesRequest(unused="soon"), lakes=(LAKE, LAKE))
    for name in ("lakes.preview", "lakes.put"):
        with pytest.raises(InvalidFields) as caught:
            await ask(backend, name, body=bad)
        assert [error.field for error in caught.value.fields] == ["lakes[1].name", "cache.unused"]


async def test_a_quota_file_sets_them_and_then_alone(tmp_path: Path) -> None:
    path = tmp_path / "quota.yaml"
    path.write_text(FILE)
    backend = make_backend(quota_file=str(path))
    settings = await ask(backend, "lakes.settings")
    assert settings == read(FILE.encode(), Present()).data
    assert [(lake.name, lake.projects) for lake in settings.lakes] == [("main", ("team-a",))]
    rules = rules_for(settings.cache, "digits", "team-a")
    assert rules.unused is None
    assert rules_for(settings.cache, "faces", "team-a").unused == timedelta(days=7)
    with pytest.raises(Conflict):
        await ask(backend, "lakes.put", body=request(settings.revision))
