"""Current and past use of GPUs."""

from __future__ import annotations

import asyncio
import csv
import io
from datetime import UTC, datetime

import msgspec
import pytest

from jupyter_gpuquota.core.usage.buckets import Bucket
from jupyter_gpuquota.core.usage.nodes import draw
from jupyter_gpuquota.core.usage.quota import sum_up
from jupyter_gpuquota.errors import InvalidFields, InvalidRequest
from jupyter_gpuquota.model.history import History, UserHours
from jupyter_gpuquota.model.nodes import Nodes, Reading
from jupyter_gpuquota.model.resources import Usage
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from jupyter_gpuquota.ui.views.history import HistoryView
from jupyter_gpuquota.ui.views.quota import QuotaView
from jupyter_gpuquota.ui.views.storage import StorageView
from jupyter_gpuquota.ui.views.top import TopView
from tests.builders import (
    NOW,
    make_history,
    make_node,
    make_placement,
    make_project,
    make_session,
    make_slice,
)
from tests.fakes import remember


def cells(line: str) -> list[str]:
    return [cell for cell in line.split("  ") if cell.strip()]


def make_top(**options: str) -> TopView:
    nodes = (make_node("n1", 4, simulated=False),)
    small = make_session("small", "0.5", "running", placement=make_placement(make_slice(0, 500)))
    small = msgspec.structs.replace(small, usage=Usage(at=NOW, memory=4096))
    both = make_placement(make_slice(1), make_slice(2))
    large = make_session("large", "2", "running", placement=both, project="team-b", owner="ana")
    uuids = [device.uuid for device in nodes[0].devices]
    readings = {uuids[1]: Reading(utilisation=90), uuids[2]: Reading(utilisation=50)}
    drawn = draw(nodes, (small, large), readings)
    return TopView(Nodes(nodes=drawn, source="nvml", revision="1"), **options)


def test_top_begins_with_the_largest_share():
    head, first, second = make_top().text.splitlines()
    assert head.startswith("SESSION")
    assert [c.strip() for c in cells(first)][:6] == [
        "large",
        "team-b",
        "ana",
        "2",
        "n1 GPU 1, 2",
        "70 %",
    ]
    assert "4 GiB of 16384 MiB" in second or "4 GiB of 16 GiB" in second
    assert make_top().records[0]["gpus"] == 2.0
    assert [r["session"] for r in make_top(project="team-a").records] == ["small"]


def test_top_without_sessions_is_a_sentence(client, console):
    view = run(client, parse(["nodes", "--sessions"], terminal=False), console)
    assert view.text == "No GPUs in use."
    assert "No GPUs" in view._repr_html_()


def test_quota_shows_use_in_and_over_quota_fair_share_and_queue():
    nodes = (make_node("n1", 4),)
    placed = make_placement(make_slice(0), make_slice(1))
    sessions = (
        make_session("x", "2", "running", placement=placed, kind="train"),
        make_session("y", "0.5", kind="train"),
    )
    view = QuotaView(sum_up((make_project(quota="1"), make_project("team-b")), sessions, nodes))
    _, head, first, _ = view.text.splitlines()
    assert [c.strip() for c in cells(head)][:7] == [
        "PROJECT",
        "QUOTA",
        "IN USE",
        "IN QUOTA",
        "OVER QUOTA",
        "FAIR SHARE",
        "RUNNING",
    ]
    assert [c.strip() for c in cells(first)][:8] == [
        "team-a (default)",
        "1",
        "2",
        "1",
        "1",
        "2.5",
        "1",
        "1 (0.5 GPU)",
    ]
    row = view.records[0]
    assert (row["in_quota"], row["over"], row["fair"], row["limit"]) == (1.0, 1.0, 2.5, None)


def test_history_is_a_table_marked_as_simulated():
    view = HistoryView(make_history())
    assert "2026-01-02 03:04:05 UTC" in view.text
    assert "Simulated GPUs. Averages over 5 min. Noted." in view.text
    assert "5.5" in view._repr_html_()
    assert list(view.df.allocated) == [5.5]
    assert "No GPU use recorded" in HistoryView(make_history(points=())).text


def test_history_csv_can_be_read_back(client, console, backend):
    asyncio.run(backend.resident.recorder.sample())
    view = run(client, parse(split_line("history -p team-a --csv"), terminal=False), console)
    (row,) = csv.DictReader(io.StringIO(view.text))
    assert (row["project"], row["allocated"], row["utilisation"]) == ("team-a", "0.0", "")
    assert "+00:00" in row["at"]


def by_user() -> History:
    """Return a history with one point of a user, and hours of an unnamed one."""
    (point,) = make_history().points
    hours = UserHours(
        project="team-a", user="ana", allocated=12_500, borrowed=1500, waited=250, utilisation=62
    )
    rest = UserHours(project="team-a", user="", allocated=500, borrowed=0, waited=0)
    points = (msgspec.structs.replace(point, user="ana"),)
    return make_history(points=points, users=(hours, rest), by="user")


def test_a_history_by_user_sums_up_their_hours():
    view = HistoryView(by_user())
    lines = view.text.splitlines()
    assert lines[0].split()[:3] == ["FROM", "PROJECT", "USER"]
    assert "GPU hours from 2026-01-02 03:04 UTC to 2026-01-02 04:04 UTC:" in lines
    assert lines[-4].split() == ["team-a", "ana", "12.5", "1.5", "0.25", "62", "%"]
    assert lines[-3].split() == ["team-a", "(not", "named)", "0.5", "-", "-", "-"]
    assert view._repr_html_().count("<table") == 2
    assert list(view.df.user) == ["ana"]
    assert "USER" not in HistoryView(make_history(users=by_user().users)).text
    rest_only = HistoryView(make_history(points=(), users=by_user().users, by="user"))
    assert "12.5" in rest_only.text
    assert rest_only._repr_html_().count("<table") == 1


def test_history_by_user_takes_the_same_options(client, console, backend):
    at = int(datetime.now(UTC).timestamp()) // 3600 * 3600 - 3600
    past = [
        Bucket(at=at, project="team-a", user=user, seconds=30, allocated=30_000)
        for user in ("", "ana", "ben")
    ]
    remember(backend, past)

    def ask(line: str) -> History:
        return run(client, parse(split_line(line), terminal=False), console).data

    assert {p.user for p in ask("history").points} == {""}
    assert [p.user for p in ask("history --by user --hours 5").points] == ["ana", "ben"]
    assert [p.user for p in ask("history -p team-a --user ben").points] == ["ben"]
    view = run(client, parse(split_line("history --by user --csv"), terminal=False), console)
    assert [row["user"] for row in csv.DictReader(io.StringIO(view.text))] == ["ana", "ben"]


def test_a_history_of_zero_hours_is_refused(client, console):
    with pytest.raises(InvalidFields) as caught:
        run(client, parse(split_line("history --hours 0 --points 1"), terminal=False), console)
    assert {f.field for f in caught.value.fields} == {"hours", "points"}


def test_csv_and_json_exclude_each_other(client, console):
    console.shell = True
    with pytest.raises(InvalidRequest, match="cannot be combined"):
        run(client, parse(["history", "--csv", "--json"], terminal=True), console)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["quota", "--by", "user"], "--by needs --storage"),
        (["nodes", "-p", "team-a"], "--project needs --sessions"),
    ],
)
def test_an_option_of_another_table_is_refused(client, console, words, message):
    with pytest.raises(InvalidRequest, match=message):
        run(client, parse(words, terminal=False), console)


def test_storage_is_summed_up_by_owner(client, console):
    view = run(client, parse(["quota", "--storage", "--by", "user"], terminal=False), console)
    assert isinstance(view, StorageView)


def test_the_quota_of_one_project(client, console):
    view = run(client, parse(["quota", "-p", "team-a"], terminal=False), console)
    assert [row["project"] for row in view.records] == ["team-a"]
