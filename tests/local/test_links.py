"""Links to the datasets of sessions: they lead into the cache, and nothing of a user is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.local.folders.folders import SessionFolder
from jupyter_gpuquota.local.sessions.links import SessionLinks
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session
from tests.local.test_launch import env, make_context

V1, V2 = "1" * 64, "2" * 64


class Machine:
    """A cache with two versions of two datasets, a working folder and folders of sessions."""

    def __init__(self, root: Path) -> None:
        self.cache, self.work, self.homes = root / "cache", root / "work", root / "sessions"
        for name in ("faces", "cats"):
            for version in (V1, V2):
                tree = self.cache / name / version / "tree"
                tree.mkdir(parents=True)
                (tree / "which").write_text(f"{name} {version[:1]}")
        self.work.mkdir()
        self.links = SessionLinks(self.cache, lambda session: SessionFolder(self.home(session)))

    def home(self, session: Session) -> Path:
        """Return the folder of a session."""
        return self.homes / session.id

    def session(self, name: str, *mounts: DataMount, **fields: Any) -> Session:
        """Return a running session with its folder."""
        found = make_session(name, state="running", data=mounts, folder=str(self.work), **fields)
        self.home(found).mkdir(parents=True, exist_ok=True)
        return found

    def read(self, session: Session, name: str) -> str:
        """Return what a session finds by the name of a dataset."""
        return (self.home(session) / "data" / name / "which").read_text()

    def problems(self, session: Session) -> dict[str, str]:
        """Return what is wrong with the paths of a request."""
        return {error.field: error.message for error in self.links.taken(session.spec)}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def mount(dataset: str = "faces", path: str = "", version: str = V1) -> DataMount:
    return DataMount(dataset=dataset, version=version, path=path)


def test_datasets_are_found_by_name_and_where_they_were_asked_for(machine: Machine) -> None:
    session = machine.session("a", mount(), mount("cats", "/in/train", V2))
    machine.links.make(session)
    assert machine.read(session, "faces") == "faces 1"
    assert machine.read(session, "cats") == "cats 2"
    assert (machine.work / "in/train/which").read_text() == "cats 2"
    machine.links.remove(session, [])
    assert list(machine.work.iterdir()) == []
    machine.links.make(session)  # it is resumed
    assert machine.read(session, "faces") == "faces 1"


def test_a_session_without_datasets_gets_nothing(machine: Machine) -> None:
    session = machine.session("a")
    machine.links.make(session)
    machine.links.remove(session, [])
    assert list(machine.home(session).iterdir()) == []
    assert "GPUQUOTA_DATASETS" not in env()


def test_the_variable_leads_to_the_folder_with_the_names() -> None:
    found = env(data=(mount(),), context=make_context(datasets="/state/s1/data"))
    assert found["GPUQUOTA_DATASETS"] == "/state/s1/data"


@pytest.mark.parametrize("made", ["file", "folder", "link", "below a file"])
def test_what_a_user_has_is_refused_and_stays(machine: Machine, made: str) -> None:
    place = machine.work / "in"
    if made == "file":
        place.write_text("mine")
    elif made == "folder":
        place.mkdir()
    elif made == "link":
        place.symlink_to("/etc")
    else:
        place.write_text("mine")
        place = place / "train"
    path = f"/{place.relative_to(machine.work)}"
    session = machine.session("a", mount(), mount("cats", path))
    assert machine.problems(session) == {"data[1]": f"{place} exists already."}
    with pytest.raises(OSError, match=r"exists|[Nn]ot a directory"):
        machine.links.make(session)
    before = {each: each.is_symlink() for each in machine.work.rglob("*")}
    machine.links.remove(session, [])
    assert {each: each.is_symlink() for each in machine.work.rglob("*")} == before


def test_sessions_share_a_link_to_the_same_version_and_the_last_one_removes_it(
    machine: Machine,
) -> None:
    first, second = (machine.session(name, mount(path="/in")) for name in "ab")
    machine.links.make(first)
    assert machine.problems(second) == {}
    machine.links.make(second)
    machine.links.remove(first, [first, second])
    assert (machine.work / "in/which").read_text() == "faces 1"
    machine.links.remove(second, [second])
    assert list(machine.work.iterdir()) == []


def test_another_version_at_the_same_path_is_refused(machine: Machine) -> None:
    machine.links.make(machine.session("a", mount(path="/in")))
    other = machine.session("b", mount(path="/in", version=V2))
    assert list(machine.problems(other)) == ["data[0]"]


def test_files_of_a_user_keep_the_folders_that_were_made(machine: Machine) -> None:
    session = machine.session("a", mount(path="/in/train/x"))
    machine.links.make(session)
    (machine.work / "in/notes").write_text("mine")
    machine.links.remove(session, [])
    assert [each.name for each in machine.work.rglob("*")] == ["in", "notes"]


def test_what_is_not_cached_is_told(machine: Machine) -> None:
    session = machine.session("a", mount(version="3" * 64))
    with pytest.raises(FileNotFoundError, match="faces@latest is no longer cached"):
        machine.links.make(session)


def test_a_link_that_a_user_has_replaced_stays(machine: Machine) -> None:
    session = machine.session("a", mount(path="/in"))
    machine.links.make(session)
    (machine.work / "in").unlink()
    (machine.work / "in").symlink_to(machine.home(session))
    machine.links.remove(session, [])
    assert (machine.work / "in").is_symlink()
