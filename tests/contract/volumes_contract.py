"""What every backend with volumes promises of them."""

from __future__ import annotations

import pytest
from msgspec import structs

from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.requests import specs
from jupyter_gpuquota.errors import InUse, InvalidFields, NameTaken, NotFound
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import SessionRequest, SessionSpec
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.model.volumes.storage import StorageQuery
from jupyter_gpuquota.model.volumes.volumes import NewVolume, Volume, VolumeChange
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ports.volumes import Volumes
from jupyter_gpuquota.services.usecases import perform
from tests.contract.helpers import able, until
from tests.waiting import wait_for

GI = 1 << 30


def named(volumes: Volumes, name: str) -> Volume | None:
    return next((each for each in volumes.all() if each.name == name), None)


async def spec_of(backend: Backend, *mounts: Mount, gpu: str = "") -> SessionSpec:
    """Return the checked request of a session `exp` of team-c with these volumes."""
    request = SessionRequest(name="exp", project="team-c", command=("sleep", "600"), gpu=gpu)
    found = backend.inventory
    place = await found.look_up(request)
    facts = specs.Facts(projects=found.projects(), nodes=found.nodes(), place=place, fits=found.fit)
    return structs.replace(specs.check(request, facts), volumes=mounts)


class VolumesContract:
    """The contract of the port `Volumes`."""

    storage_class = ""
    """A class whose volumes can be shared and grow; empty for the default one."""

    def wanted(self, name: str = "scans", **fields: object) -> NewVolume:
        """Return a checked request of the owner for a volume."""
        given = {"name": name, "project": "team-c", "owner": "owner", "size": GI}
        return NewVolume(**given | {"storage_class": self.storage_class} | fields)

    async def test_a_volume_is_listed_once_it_is_created(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        assert volumes.knows("team-c")
        before = backend.changes.revision("volumes")
        made = await volumes.create(self.wanted(size=10 * GI, description="Scans."))
        assert (made.name, made.project, made.owner) == ("scans", "team-c", "owner")
        assert (made.size, made.description, made.uses) == (10 * GI, "Scans.", ())
        assert made.created is not None
        found = named(volumes, "scans")
        assert found is not None
        assert (found.size, found.owner, found.created) == (made.size, made.owner, made.created)
        await wait_for(lambda: backend.changes.revision("volumes") != before)
        with pytest.raises(NameTaken):
            await volumes.create(self.wanted())
        # Another project may use the name.
        await volumes.create(self.wanted(project="team-b"))
        query = StorageQuery(project="team-b")
        rights = Rights(Caller("owner"), admin=True)
        storage = await perform(backend, route("quota.storage"), rights, {}, query)
        assert {item.project for item in storage.items} == {"team-b"}
        assert [each.project for each in volumes.all()] == ["team-b", "team-c"]

    async def test_a_volume_is_changed_and_deleted(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        await volumes.create(self.wanted())
        made = await wait_for(lambda: ready(volumes, "scans"))
        await volumes.change(made, VolumeChange(description="New."), 2 * GI)
        grown = await wait_for(lambda: of_size(volumes, "scans", 2 * GI))
        assert grown.description == "New."
        await volumes.delete(grown)
        await wait_for(lambda: named(volumes, "scans") is None)
        with pytest.raises(NotFound):
            await volumes.delete(grown)
        # Nothing of it is left: it may be created again.
        assert (await volumes.create(self.wanted())).size == GI

    async def test_a_mounted_volume_is_not_deleted(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        await volumes.create(self.wanted())
        spec = await spec_of(backend, Mount(volume="scans", path="/scans", read_only=True))
        session = await backend.sessions.create(spec, "owner")
        found = named(volumes, "scans")
        assert found is not None
        (use,) = found.uses
        assert (use.session, use.name, use.owner) == (session.id, "exp", "owner")
        assert (use.path, use.read_only) == ("/scans", True)
        with pytest.raises(InUse, match=r"exp \(owner"):
            await volumes.delete(found)

    async def test_a_session_has_a_volume_made_for_it(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        chosen = self.storage_class or volumes.classes("team-c")[0].name
        new = Mount(volume="exp-scratch", path="/scratch", size=GI, storage_class=chosen)
        await backend.sessions.create(await spec_of(backend, new), "owner")
        made = await wait_for(lambda: named(volumes, "exp-scratch"))
        assert (made.size, made.owner, made.storage_class) == (GI, "owner", chosen)
        assert [use.name for use in made.uses] == ["exp"]

    async def test_a_session_starts_again_with_one_more_volume(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        await volumes.create(self.wanted())
        await wait_for(lambda: ready(volumes, "scans"))
        first = await backend.sessions.create(await spec_of(backend), "owner")
        await until(backend, first.id, "running")
        added = Mount(volume="scans", path="/scans")
        await backend.sessions.resize(first.id, first.spec.share, [added])
        again = await until(
            backend, first.id, lambda s: s.state == "running" and bool(s.spec.volumes)
        )
        assert again.spec == structs.replace(first.spec, volumes=(added,))
        found = named(volumes, "scans")
        assert found is not None
        assert [(use.session, use.path) for use in found.uses] == [(first.id, "/scans")]

    async def test_what_can_be_mounted_has_no_problem(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        await volumes.create(self.wanted())
        mounts = {"volumes[0]": Mount(volume="scans", path="/scans")}
        assert await volumes.check(SessionRequest(name="exp"), "team-c", mounts, "ana") == ()


class KeptVolumesContract(VolumesContract):
    """The contract of a backend whose controller keeps the volumes itself."""

    async def test_new_volumes_of_a_session_are_made_or_nothing_is(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        new = Mount(volume="exp-scratch", path="/scratch", size=GI, storage_class="folder")
        gone = Mount(volume="gone", path="/gone")
        with pytest.raises(InvalidFields):
            await backend.sessions.create(await spec_of(backend, new, gone), "owner")
        assert volumes.all() == ()

    async def test_new_volumes_of_a_withdrawn_session_are_deleted(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        first = await spec_of(backend, gpu="1")
        await backend.sessions.create(structs.replace(first, name="first"), "owner")
        new = Mount(volume="exp-scratch", path="/scratch", size=GI, storage_class="folder")
        session = await backend.sessions.create(await spec_of(backend, new, gpu="2"), "owner")
        assert named(volumes, "exp-scratch")
        assert await backend.sessions.withdraw(session.id)
        assert named(volumes, "exp-scratch") is None


def ready(volumes: Volumes, name: str) -> Volume | None:
    """Return a volume once it can be mounted."""
    found = named(volumes, name)
    return found if found and found.state == "ready" else None


def of_size(volumes: Volumes, name: str, size: int) -> Volume | None:
    """Return a volume once it has a size."""
    found = named(volumes, name)
    return found if found and found.size == size else None
