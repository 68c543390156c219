"""Controllers are killed while volumes are created, shared, deleted, and made for sessions."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import GpuQuotaError, InUse, Unavailable
from jupyter_gpuquota.model.volumes.volumes import Volume
from tests.storms.fleet import Fleet

pytestmark = pytest.mark.timeout(7200)

NAMES = ("a", "b", "c", "d")
SOON = 0.15
"""Seconds after which a controller is killed at the latest: requests take less than that."""


class Volumes:
    """What users were told: a volume is there (True), is not (False), or either."""

    def __init__(self, fleet: Fleet, shared: Path) -> None:
        self.fleet = fleet
        self.shared = shared
        self.may: dict[str, set[bool]] = {name: {False} for name in NAMES}
        self.problems: list[str] = []

    def round(self, number: int) -> None:
        """Ask for several things at once, and kill the controller meanwhile."""
        self.fleet.ready()
        session = f"exp-{number}"
        asked = [lambda name=name: self._change(name) for name in NAMES]
        with ThreadPoolExecutor(8) as pool:
            done = [pool.submit(each) for each in (*asked, lambda: self._launch(session))]
            time.sleep(self.fleet.rng.uniform(0, SOON))
            self.fleet.kill()
            for each in done:
                each.result()
        self.fleet.ready()
        self._check(session)

    def _change(self, name: str) -> None:
        """Delete a volume that is there, else create it or share a folder by this name."""
        client, exists = self.fleet.client, True in self.may[name]
        folder = str(self.shared) if name == "d" else ""
        self.may[name] = {True, False}
        try:
            if exists:
                client.volumes.delete(name, project="team-a")
            else:
                client.volumes.create(name, project="team-a", folder=folder, size="1Mi")
        except Unavailable:
            return
        except GpuQuotaError as error:
            self.problems.append(f"{name}: {error}")
            return
        self.may[name] = {not exists}

    def _launch(self, name: str) -> None:
        try:
            self.fleet.client.sessions.submit(
                name, gpu=0.1, command=["sleep", "600"], volumes=(":1Mi:/out",)
            )
        except Unavailable:
            return

    def _check(self, session: str) -> None:
        """Compare what there is with what users were told, and remember what is true."""
        client = self.fleet.client
        found: dict[str, Volume] = {each.name: each for each in client.volumes.list()}
        for name in NAMES:
            if (name in found) not in self.may[name]:
                self.problems.append(f"{name} is there: {name in found}, not {self.may[name]}")
            self.may[name] = {name in found}
        for volume in found.values():
            if volume.state != "ready" or not Path(volume.folder).is_dir():
                self.problems.append(f"{volume.name} is {volume.state}")
        if (self.shared / "a.txt").read_text() != "shared":
            self.problems.append("the files of a shared folder were touched")
        sessions = {each.spec.name: each for each in client.sessions.list()}
        made = f"{session}-out"
        if session in sessions:
            self._refused(made, found)
            client.sessions.stop(f"team-a/{session}", wait=True)
        if made in found:
            client.volumes.delete(made, project="team-a")

    def _refused(self, name: str, found: dict[str, Volume]) -> None:
        """Note a session without its volume, or one whose volume can be deleted."""
        if name not in found:
            self.problems.append(f"{name} is not there, but its session is")
            return
        try:
            self.fleet.client.volumes.delete(name, project="team-a")
        except InUse:
            return
        self.problems.append(f"{name} was deleted while a session mounts it")


def test_kills_leave_volumes_as_users_were_told(
    fleet: Fleet, rounds: Callable[[int], int], tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "a.txt").write_text("shared")
    volumes = Volumes(fleet, shared)
    for number in range(max(2, rounds(400) // 10)):
        volumes.round(number)
        assert volumes.problems == []
    fleet.until(lambda: not list(fleet.home.glob("volumes/*/.*")), "removed files stay")
    fleet.stop()
    assert fleet.problems == []
