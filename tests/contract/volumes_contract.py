"""What every backend whose controller keeps volumes promises of them."""

from __future__ import annotations

import pytest
from msgspec import structs

from jupyter_gpuquota.core.requests import specs
from jupyter_gpuquota.errors import InUse, InvalidFields, NameTaken, NotFound
from jupyter_gpuquota.model.sessions import SessionRequest, SessionSpec
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.model.volumes.volumes import NewVolume, Volume, VolumeChange
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ports.volumes import Volumes
from tests.contract.helpers import able

GI = 1 << 30


def wanted(name: str = "scans", **fields: object) -> NewVolume:
    return NewVolume(**{"name": name, "project": "team-c", "owner": "owner", **fields})


def named(volumes: Volumes, name: str) -> Volume | None:
    return next((each for each in volumes.all() if each.name == name), None)


async def spec_of(backend: Backend, *mounts: Mount) -> SessionSpec:
    """Return the checked request of a session `exp` of team-c with these volumes."""
    request = SessionRequest(name="exp", project="team-c", command=("sleep", "600"))
    found = backend.inventory
    place = await found.look_up(request)
    facts = specs.Facts(projects=found.projects(), nodes=found.nodes(), place=place, fits=found.fit)
    return structs.replace(specs.check(request, facts), volumes=mounts)


class VolumesContract:
    """The contract of the port `Volumes`."""

    async def test_a_volume_is_listed_once_it_is_created(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        assert volumes.knows("team-c")
        before = backend.changes.revision("volumes")
        made = await volumes.create(wanted(size=10 * GI, description="Scans."))
        assert (made.name, made.project, made.owner) == ("scans", "team-c", "owner")
        assert (made.size, made.description, made.uses) == (10 * GI, "Scans.", ())
        assert named(volumes, "scans") == made
        assert backend.changes.revision("volumes") != before
        with pytest.raises(NameTaken):
            await volumes.create(wanted())
        # Another project may use the name.
        other = await volumes.create(wanted(project="team-b"))
        assert [each.project for each in volumes.all()] == ["team-b", "team-c"]
        assert other.created is not None

    async def test_a_volume_is_changed_and_deleted(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        made = await volumes.create(wanted(size=GI))
        grown = await volumes.change(made, VolumeChange(description="New."), 2 * GI)
        assert (grown.size, grown.description) == (2 * GI, "New.")
        await volumes.delete(grown)
        assert named(volumes, "scans") is None
        with pytest.raises(NotFound):
            await volumes.delete(grown)
        # Nothing of it is left: it may be created again.
        assert (await volumes.create(wanted())).size == 0

    async def test_a_mounted_volume_is_not_deleted(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        await volumes.create(wanted())
        spec = await spec_of(backend, Mount(volume="scans", path="/scans", read_only=True))
        session = await backend.sessions.create(spec, "owner")
        found = named(volumes, "scans")
        assert found is not None
        (use,) = found.uses
        assert (use.session, use.name, use.owner) == (session.id, "exp", "owner")
        assert (use.path, use.read_only) == ("/scans", True)
        with pytest.raises(InUse, match=r"exp \(owner"):
            await volumes.delete(found)

    async def test_new_volumes_of_a_session_are_made_or_nothing_is(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        new = Mount(volume="exp-scratch", path="/scratch", size=GI, storage_class="folder")
        gone = Mount(volume="gone", path="/gone")
        with pytest.raises(InvalidFields):
            await backend.sessions.create(await spec_of(backend, new, gone), "owner")
        assert volumes.all() == ()
        await backend.sessions.create(await spec_of(backend, new), "owner")
        made = named(volumes, "exp-scratch")
        assert made is not None
        assert (made.size, made.owner, len(made.uses)) == (GI, "owner", 1)

    async def test_what_can_be_mounted_has_no_problem(self, backend: Backend) -> None:
        volumes: Volumes = able(backend, "volumes")
        await volumes.create(wanted())
        mounts = {"volumes[0]": Mount(volume="scans", path="/scans")}
        assert await volumes.check(SessionRequest(name="exp"), "team-c", mounts) == ()
