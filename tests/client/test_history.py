"""The history of use as a table, where there is pandas, and as points."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.core.usage.buckets import Bucket
from jupyter_gpuquota.errors import InvalidFields, Unsupported
from jupyter_gpuquota.ports.backend import Backend
from tests.client.inmemory import InMemory
from tests.fakes import remember

COLUMNS = (
    "at",
    "project",
    "seconds",
    "allocated",
    "in_quota",
    "borrowed",
    "requested",
    "peak",
    "waiting",
    "utilisation",
    "simulated",
)


@pytest.fixture
def client(backend: Backend, transport: InMemory) -> Client:
    """A client of a server that has sampled half an hour of team-a, two hours ago."""
    begin = int((datetime.now(UTC) - timedelta(hours=2)).timestamp())
    begin -= begin % 3600
    past = [
        Bucket(
            at=begin + at,
            project="team-a",
            user=user,
            seconds=30,
            allocated=5500 * 30,
            borrowed=1500 * 30,
            asked=500 * 30,
            busy=80 * 30,
            measured=30,
            peak=5500,
            waiting=1,
        )
        for at in range(0, 1800, 30)
        for user in ("", "ana")
    ]
    remember(backend, past)
    return Client(transport=transport)


def test_a_history_is_a_data_frame(client):
    frame = client.history(project="team-a", hours=5, points=10).df
    assert isinstance(frame, pd.DataFrame)
    assert tuple(frame.columns) == COLUMNS
    row = frame.iloc[0]
    assert (row.allocated, row.in_quota, row.borrowed, row.requested) == (5.5, 4.0, 1.5, 0.5)
    assert (row.peak, row.waiting, row.utilisation, row.seconds) == (5.5, 1, 80, 1800)
    assert frame.simulated.all()
    assert frame["at"].dt.tz is not None
    assert (frame.allocated * frame.seconds).sum() / 3600 == 2.75  # GPU hours


def test_a_history_by_user_names_them(client):
    frame = client.history(project="team-a", hours=5, points=10, by="user").df
    assert tuple(frame.columns) == ("at", "project", "user", *COLUMNS[2:])
    assert list(frame.user) == ["ana"]
    hours = (frame.allocated * frame.seconds).groupby(frame.user).sum() / 3600
    assert hours["ana"] == 2.75
    assert len(client.history(project="team-a", hours=5, points=10, user="ana")) == 1
    assert len(client.history(project="team-a", hours=5, points=10, user="nobody")) == 0


def test_a_history_is_a_list_of_points(client, monkeypatch):
    history = client.history(project="team-a", hours=5, points=10)
    assert history[0].allocated == 5500
    assert history.step == 3600
    assert "team-a" in repr(history)
    assert "team-a</td>" in history._repr_html_()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(Unsupported, match="pandas"):
        _ = history.df


def test_a_time_may_be_named_and_has_a_zone(client, transport):
    since = datetime.now() - timedelta(hours=4)  # noqa: DTZ005 (what a user has at hand)
    assert len(client.history(project="team-a", since=since, until=datetime.now(UTC)))
    assert "%2B00%3A00" in transport.seen[-1].target
    with pytest.raises(InvalidFields) as caught:
        client.history(since=datetime.now(UTC) + timedelta(days=1))
    assert [f.field for f in caught.value.fields] == ["since"]


def test_nothing_sampled_is_a_frame_with_columns(client):
    frame = client.history(project="team-z").df
    assert (len(frame), tuple(frame.columns)) == (0, COLUMNS)
