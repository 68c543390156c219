"""The MLflow run that a session has in its folder: the newest one, with its latest metrics.

MLflow's SQLite store is only read, and without MLflow: its tables are those of MLflow 1 to 3
(mlflow/store/tracking/dbmodels/models.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

STORES = ("mlflow.db", "mlruns.db", "mlruns/mlflow.db")
"""Where stores are looked for below a session's folder; `mlflow server` makes the first one."""
_PATIENCE = 10.0
_NEWEST = (
    "SELECT run_uuid FROM runs WHERE lifecycle_stage = 'active' ORDER BY start_time DESC LIMIT 1"
)
_METRICS = "SELECT key, value FROM latest_metrics WHERE run_uuid = ? AND is_nan = 0 ORDER BY key"


class Run(NamedTuple):
    """One run: its id, and the latest value of each of its metrics."""

    id: str
    metrics: dict[str, float]


def newest(root: Path) -> Run | None:
    """Return the run that was begun last, None without any.

    Raises ValueError for a store that cannot be read.
    """
    return next((run for store in STORES if (run := _newest(root / store))), None)


def _newest(store: Path) -> Run | None:
    if not store.is_file():
        return None
    try:
        with closing(_opened(store)) as database:
            return next(_runs(database), None)
    except sqlite3.Error as error:
        raise ValueError(f"{store.name} cannot be read: {error}.") from error


def _opened(store: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(store.resolve()))}?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=_PATIENCE)


def _runs(database: sqlite3.Connection) -> Iterator[Run]:
    for (run,) in database.execute(_NEWEST):
        yield Run(run, {name: float(value) for name, value in database.execute(_METRICS, (run,))})
