"""Runs of a session, as MLflow records them."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..struct import Model


class Run(Model, frozen=True, kw_only=True):
    """One run.

    `status` is MLflow's word, such as `RUNNING` or `FINISHED`. `source` is the program or notebook,
    `commit` its version in git. `metrics` are the latest values; `gpu` is the mean GPU
    utilisation in per cent: as it was logged, else as measured of the session while the run lasted,
    None where it was neither. `data` are versions of datasets by
    name, `artifacts` the first names of files at `place`. `snapshot` is the last one of the run.
    """

    id: str
    name: str = ""
    experiment: str = ""
    status: str = ""
    begun: datetime | None = None
    ended: datetime | None = None
    source: str = ""
    commit: str = ""
    params: dict[str, str] = msgspec.field(default_factory=dict)
    metrics: dict[str, float] = msgspec.field(default_factory=dict)
    gpu: float | None = None
    data: dict[str, str] = msgspec.field(default_factory=dict)
    artifacts: tuple[str, ...] = ()
    place: str = ""
    snapshot: str = ""


class RunList(Model, frozen=True, kw_only=True):
    """The newest runs of a session, the newest first.

    `store` is where they are recorded, empty where there is no store; `problem` is why that could
    not be read.
    """

    items: tuple[Run, ...] = ()
    store: str = ""
    problem: str = ""
