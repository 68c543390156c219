"""The run of a session, read from MLflow's SQLite store."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from jupyter_gpuquota.jobs.capture import mlflow

TABLES = """
CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250), status VARCHAR(9),
    start_time BIGINT, lifecycle_stage VARCHAR(20), experiment_id INTEGER);
CREATE TABLE latest_metrics (key VARCHAR(250), value FLOAT, timestamp BIGINT, step BIGINT,
    is_nan BOOLEAN, run_uuid VARCHAR(32), PRIMARY KEY (key, run_uuid));
INSERT INTO runs VALUES ('old', 'a', 'FINISHED', 1, 'active', 0),
    ('new', 'b', 'RUNNING', 3, 'active', 0), ('gone', 'c', 'FAILED', 9, 'deleted', 0);
INSERT INTO latest_metrics VALUES ('loss', 0.25, 1, 7, 0, 'new'), ('accuracy', 0.5, 1, 7, 0, 'new'),
    ('broken', 0, 1, 7, 1, 'new'), ('loss', 9, 1, 7, 0, 'old');
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """MLflow's tables, as far as they are read."""
    path = tmp_path / "mlflow.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(TABLES)
    return path


def test_the_run_that_was_begun_last_counts_with_its_latest_metrics(store):
    assert mlflow.newest(store.parent) == mlflow.Run("new", {"accuracy": 0.5, "loss": 0.25})


def test_without_a_store_or_a_run_there_is_none(store, tmp_path):
    assert mlflow.newest(tmp_path / "elsewhere") is None
    with closing(sqlite3.connect(store)) as database:
        database.execute("DELETE FROM runs")
        database.commit()
    assert mlflow.newest(store.parent) is None


def test_a_store_that_is_none_is_told(tmp_path):
    (tmp_path / "mlflow.db").write_bytes(b"no database" * 100)
    with pytest.raises(ValueError, match=r"mlflow\.db cannot be read"):
        mlflow.newest(tmp_path)
