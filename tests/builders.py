"""Builders of test data: defaults are valid, tests name only what they are about."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from jupyter_gpuquota.core.fields import FieldReader
from jupyter_gpuquota.core.requests.shares import parse_quota, read_share
from jupyter_gpuquota.model.about import API_VERSION, About
from jupyter_gpuquota.model.environments import Environment, LaunchPlace
from jupyter_gpuquota.model.history import History, HistoryPoint
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.resources import Device, MigInstance, Node, Placement, Share, Slice
from jupyter_gpuquota.model.sessions import Session, SessionRequest, SessionSpec, State

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
MEMORY = 32_768
UNREADABLE = (b"", b"{", b"[]", b'{"\xff": 1}', b'{"a":' * 100_000)
"""Bytes that are no record of ours: of interrupted writes, of bad disks, of others' programs."""


def filled(path: str, value: str = "x") -> str:
    """Return the path of a route with the same value for each of its arguments."""
    return re.sub(r"\{\w+\}", lambda _: value, path)


def make_share(gpu: str = "", **fields: Any) -> Share:
    reader = FieldReader()
    share = read_share(SessionRequest(name="x", gpu=gpu, **fields), reader)
    reader.finish()
    return share


def make_device(index: int = 0, *, node: str = "n1", **fields: Any) -> Device:
    defaults = {"uuid": f"SIM-{node}-{index}", "model": "V100", "memory": MEMORY, "simulated": True}
    return Device(index=index, **{**defaults, **fields})


def make_node(name: str = "n1", gpus: int = 8, **fields: Any) -> Node:
    return Node(name=name, devices=tuple(make_device(i, node=name, **fields) for i in range(gpus)))


def make_mig_device(index: int = 0, profiles: tuple[str, ...] = ("1g.5gb", "2g.10gb")) -> Device:
    instances = tuple(
        MigInstance(
            uuid=f"MIG-{index}-{i}", profile=p, memory=int(p[3:-2]) * 1024, slices=int(p[0])
        )
        for i, p in enumerate(profiles)
    )
    return make_device(index, mig=instances, simulated=False)


def make_project(name: str = "team-a", quota: str = "4", **fields: Any) -> Project:
    amounts = {key: parse_quota(fields.pop(key)) for key in ("weight", "limit") if key in fields}
    return Project(name=name, quota=parse_quota(quota), **amounts, **fields)


def make_about(**fields: Any) -> About:
    defaults = {
        "version": "1",
        "api": API_VERSION,
        "backend": "fake",
        "user": "me",
        "source": "simulated",
        "simulated": True,
        "capabilities": (),
    }
    return About(**{**defaults, **fields})


def make_history(project: str = "team-a", **fields: Any) -> History:
    point = HistoryPoint(
        at=NOW,
        project=project,
        seconds=300,
        allocated=5500,
        in_quota=4000,
        borrowed=1500,
        requested=500,
        peak=6000,
        waiting=1,
    )
    defaults = {"points": (point,), "since": NOW, "until": NOW + timedelta(hours=1)}
    return History(**{**defaults, "step": 300, "simulated": True, "note": "Noted.", **fields})


def make_place(**fields: Any) -> LaunchPlace:
    environment = Environment(id="base", label="base", prefix="/env", python="/env/bin/python")
    return LaunchPlace(**{"environment": environment, "folder": "/work", **fields})


def make_spec(name: str = "exp-1", gpu: str = "", **fields: Any) -> SessionSpec:
    asked = {k: fields.pop(k) for k in ("gpu_memory", "gpu_compute", "mig_profile") if k in fields}
    defaults: dict[str, Any] = {
        "project": "team-a",
        "kind": "interactive",
        "environment": "/env",
        "folder": "/work",
    }
    return SessionSpec(name=name, share=make_share(gpu, **asked), **{**defaults, **fields})


def make_slice(index: int = 0, milli: int = 1000, **fields: Any) -> Slice:
    defaults = {"uuid": f"SIM-n1-{index}", "memory": MEMORY * milli // 1000}
    return Slice(index=index, milli=milli, **{**defaults, **fields})


def make_placement(*slices: Slice, node: str = "n1") -> Placement:
    theirs = [replace(s, uuid=s.uuid.replace("SIM-n1-", f"SIM-{node}-")) for s in slices]
    return Placement(node=node, slices=tuple(theirs), simulated=True)


def make_session(
    name: str = "exp-1",
    gpu: str = "",
    state: State = "waiting",
    *,
    age: int = 0,
    placement: Placement | None = None,
    owner: str = "me",
    **spec: Any,
) -> Session:
    created = NOW - timedelta(seconds=age)
    return Session(
        id=f"id-{name}",
        spec=make_spec(name, gpu, **spec),
        owner=owner,
        state=state,
        since=created,
        created=created,
        path=f"gpuquota/s/id-{name}/",
        placement=placement,
    )
