"""Requests with several places, from their check to what is shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.clusters.outside import Mapped
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import InvalidFields, Unsupported
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import SessionFields, SessionRequest
from jupyter_gpuquota.model.templates import TemplateRequest
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.clusters.two import CLOUD, two_clusters
from tests.contract.helpers import run, until

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Backend]:
    async with two_clusters(tmp_path) as found:
        yield found


async def ask(backend: Backend, name: str, body: Any = None, **args: str) -> Any:
    rights = await backend.access.rights(Caller("ana", known="token"))
    return await perform(backend, route(name), rights, args, None, body)


def asked(*on: str, **fields: Any) -> SessionRequest:
    usual = {"name": "exp-1", "project": "team-a", "command": ("true",), "gpu": "4"}
    return SessionRequest(**usual | fields, on=on)


async def test_every_place_is_checked_and_every_error_names_its_place(backend: Backend) -> None:
    with pytest.raises(InvalidFields) as caught:
        await ask(backend, "sessions.create", asked("lab", "cloud", gpu="5", ports=(1,)))
    found = {each.field for each in caught.value.fields}
    assert found == {"on[0].gpu", "on[0].ports[0]", "on[1].gpu", "on[1].ports[0]"}
    with pytest.raises(InvalidFields) as caught:
        await ask(backend, "sessions.create", asked("lab", "moon", on_wait="soon"))
    assert {each.field for each in caught.value.fields} == {"on[1]", "on_wait"}
    assert backend.sessions.all() == ()


async def test_only_the_last_place_may_start_what_cannot_be_withdrawn(backend: Backend) -> None:
    cloud = backend.clusters["cloud"]
    starts = replace(cloud, differences=replace(cloud.differences, withdraws_commands=False))
    there = replace(backend, clusters={**backend.clusters, "cloud": starts})
    with pytest.raises(InvalidFields) as caught:
        await ask(there, "sessions.create", asked("cloud", "lab"))
    assert {each.field for each in caught.value.fields} == {"on[0]"}
    session = await ask(there, "sessions.create", asked("lab", "cloud"))
    assert [each.name for each in session.fallback.places] == ["lab", "cloud"]


async def test_it_is_launched_in_the_first_and_shown_with_its_list(backend: Backend) -> None:
    half = TemplateRequest(request=SessionFields(project="cloud/demo", gpu="0.5"))
    await ask(backend, "templates.put", half, scope="own", template="half")
    session = await ask(backend, "sessions.create", asked("lab", "half", on_wait="1h"))
    places = session.fallback.places
    assert [(each.name, each.cluster, each.project) for each in places] == [
        ("lab", "lab", "team-a"),
        ("half", "cloud", "cloud/demo"),
    ]
    assert [each.share.milli for each in places] == [4000, 500]
    found = await until(backend, session.id, "running")
    assert found.spec.share.milli == 4000


async def test_a_preview_says_what_would_happen_in_each_place(backend: Backend) -> None:
    await run(backend, "first", gpu="4")
    found = await ask(backend, "sessions.preview", asked("lab", "cloud"))
    assert found.verdict == "waits"
    assert [(each.cluster, each.verdict) for each in found.places] == [
        ("lab", "waits"),
        ("cloud", "fits"),
    ]
    wrong = await ask(backend, "sessions.preview", asked("moon"))
    assert [each.field for each in wrong.problems] == ["on[0]"]


async def test_a_preview_is_refused_where_one_place_would_refuse_it(
    backend: Backend, tmp_path: Path
) -> None:
    soon = await ask(backend, "sessions.preview", asked("lab", "cloud", on_wait="5s"))
    assert (soon.verdict, [each.field for each in soon.problems]) == ("forbidden", ["on_wait"])
    small = {**CLOUD, "MemoryConfig": {"nodes": 1, "gpus": 2}}
    async with two_clusters(tmp_path / "small", small) as other:
        found = await ask(other, "sessions.preview", asked("lab", "cloud"))
    assert (found.verdict, [each.field for each in found.problems]) == ("forbidden", ["on[1].gpu"])
    assert found.message.startswith("cloud: No node has 4 GPUs.")
    assert [each.verdict for each in found.places] == ["fits", "forbidden"]


async def test_one_cluster_has_no_list(backend: Backend) -> None:
    alone = backend.at("team-a")
    with pytest.raises(Unsupported, match="has one cluster only"):
        await ask(alone, "sessions.create", asked("lab", "cloud"))


async def test_about_names_the_clusters(backend: Backend) -> None:
    about = await ask(backend, "about.get")
    assert about.clusters == ("lab", "cloud")
    assert (await ask(backend.at("team-a"), "about.get")).clusters == ()


async def test_what_has_not_changed_is_not_mapped_again() -> None:
    mapped: list[int] = []

    class Item:
        """One element, with a key that an other one may have later."""

    def mapping(item: Item) -> str:
        mapped.append(id(item))
        return f"of {id(item)}"

    first, other, instead = Item(), Item(), Item()
    key = {id(first): 1, id(other): 2, id(instead): 1}
    source = [(first, other)]
    all_ = Mapped(lambda: source[0], mapping, lambda item: key[id(item)]).all
    assert all_() is all_()
    source[0] = (instead, other)
    assert all_() == (f"of {id(instead)}", f"of {id(other)}")
    assert mapped == [id(first), id(other), id(instead)]
