"""Scenarios played live through a client, on any backend: one file is steps and table in one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from jupyter_gpuquota import Client
from tests.waiting import patience

DOCUMENTS = Path(__file__).with_name("netapp-over-quota.yaml")
"""The three scheduling scenarios of the source documents, one after the other."""

Json = Mapping[str, Any]


def read(path: Path) -> Json:
    """Return a scenario."""
    found: Json = yaml.safe_load(path.read_text())
    return found


@dataclass(frozen=True)
class Live:
    """A scenario whose nodes and projects exist already.

    `project` returns the name that a project of the file has there. With `one_by_one` a session is
    only submitted once it is known what becomes of the one before, in a later second: an engine may
    order what is queued by whole seconds. It is only stopped once others use the GPUs of the one
    before: an engine may start one session of each queue at a time, whatever the shares are.
    """

    client: Client
    scenario: Json
    project: Callable[[str], str] = str
    one_by_one: bool = False

    def play(self) -> int:
        """Play all steps; return how many expectations were met. Fails if one never is."""
        met = 0
        for step in self.scenario["steps"]:
            if asked := step.get("submit"):
                self._submit(asked)
            for name in step.get("delete", ()):
                self._stop(name)
            if wanted := step.get("expect"):
                until(lambda wanted=wanted: self._check(wanted))
                met += 1
        return met

    def _submit(self, asked: Json) -> None:
        request = {**asked, "project": self.project(asked["project"])}
        session = self.client.sessions.submit(**request, command=("sleep", "86400"))
        if self.one_by_one:
            until(lambda: self._check_decided(session.id, time.time() - 1.0))

    def _stop(self, name: str) -> None:
        self.client.sessions.stop(name)
        if self.one_by_one:
            until(self._check_in_use)

    def _check_in_use(self) -> None:
        """Check that no session is on its way anywhere, nor queued while GPUs are free."""
        states = [session.state for session in self.client.sessions.list()]
        assert not {"starting", "stopping"} & set(states)
        if "waiting" in states:
            held = sum(use.allocated for use in self.client.quota.get().projects) / 1000
            assert held == self._gpus

    def _check_decided(self, session_id: str, before: float) -> None:
        """Check that a session runs, or was queued for good before some time."""
        [found] = [each for each in self.client.sessions.list() if each.id == session_id]
        assert found.state in ("waiting", "running")
        if found.state == "waiting":
            assert found.reason
            assert found.reason.code != "BeingReclaimed"
            assert found.created.timestamp() < before

    def _check(self, wanted: Json) -> None:
        """Check the table, and that no session is on its way anywhere."""
        sessions = self.client.sessions.list()
        assert not [s for s in sessions if s.state in ("starting", "stopping")]
        uses = {use.name: use for use in self.client.quota.get().projects}
        table = {
            name: {
                "allocated": use.allocated / 1000,
                "quota": use.quota / 1000,
                "waiting": use.waiting,
            }
            for name in wanted["projects"]
            if (use := uses[self.project(name)])
        }
        assert table == {name: {**table[name], **row} for name, row in wanted["projects"].items()}
        states = {session.spec.name: {"state": session.state} for session in sessions}
        for name, session in wanted.get("sessions", {}).items():
            assert states[name] == session
        if "free" in wanted:
            held = sum(row["allocated"] for row in table.values())
            assert self._gpus - held == wanted["free"]

    @property
    def _gpus(self) -> int:
        return sum(node["gpus"] for node in self.scenario["nodes"])


def until(check: Callable[[], Any]) -> None:
    """Wait until a check passes; fail as it does if it never will."""
    deadline = time.monotonic() + patience()
    while True:
        try:
            check()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
