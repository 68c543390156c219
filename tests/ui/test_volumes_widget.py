"""The widget of volumes: what it shows, and what its buttons do."""

from __future__ import annotations

import pytest
from ipywidgets import Widget

from jupyter_gpuquota import Client, VolumesWidget
from jupyter_gpuquota.errors import InUse
from jupyter_gpuquota.model.struct import Nothing
from jupyter_gpuquota.model.volumes.mounts import VolumeUse
from jupyter_gpuquota.model.volumes.volumes import Volume, VolumeList
from tests.client.answering import Answering
from tests.ui.test_widgets import button, said

GIB = 2**30
SCANS = Volume(
    name="scans",
    project="team-a",
    size=GIB,
    uses=(VolumeUse(name="<b>exp</b>", owner="ana", path="/scans"),),
)


@pytest.fixture(autouse=True)
def no_widget_stays():
    yield
    Widget.close_all()


@pytest.fixture
def server() -> Answering:
    return Answering(
        {
            "volumes.list": VolumeList(items=(SCANS, Volume(name="old", project="team-b"))),
            "volumes.get": SCANS,
            "volumes.create": Volume(name="new", project="team-a", size=2 * GIB),
            "volumes.change": SCANS,
            "volumes.delete": Nothing(),
        }
    )


@pytest.fixture
def widget(server: Answering) -> VolumesWidget:
    return VolumesWidget(Client(transport=server), project="team-a")


@pytest.fixture
def chosen(widget: VolumesWidget) -> VolumesWidget:
    """The widget, with its first volume selected."""
    widget.children[1].value = "team-a/scans"
    return widget


def enter(widget: VolumesWidget, name: str, size: str) -> None:
    fields = widget.children[2].children
    fields[0].value, fields[1].value = name, size


def test_volumes_are_shown_with_who_mounts_them(widget, server):
    assert "&lt;b&gt;exp&lt;/b&gt;" in widget.children[0].value
    assert list(widget.children[1].options) == ["team-a/scans", "team-b/old"]
    assert server.asked[-1].query == {"project": "team-a"}


def test_buttons_need_a_volume(widget):
    assert button(widget, "Delete").disabled
    button(widget, "Delete").click()
    assert "No volume selected." in said(widget)
    assert not button(widget, "Create").disabled


def test_a_volume_is_created(widget, server):
    enter(widget, "new", "2Gi")
    button(widget, "Create").click()
    assert "Created new of 2 GiB in team-a. To mount it: -v new:/new." in said(widget)
    made = next(one for one in server.asked if one.route == "volumes.create")
    assert (made.body["name"], made.body["size"]) == ("new", "2Gi")
    assert made.body["project"] == "team-a"


def test_a_volume_grows(chosen, server):
    enter(chosen, "", "3Gi")
    button(chosen, "Grow").click()
    assert "scans: 3Gi requested." in said(chosen)
    assert "3Gi" in str(next(o for o in server.asked if o.route == "volumes.change").body)


def test_details_are_shown_below(chosen):
    button(chosen, "Details").click()
    assert "mounted by" in said(chosen)


def test_a_volume_is_deleted_at_the_second_press_only(chosen, server):
    button(chosen, "Delete").click()
    assert "with its files. Press Delete again" in said(chosen)
    assert "volumes.delete" not in [one.route for one in server.asked]
    # Another selection in between takes the question back.
    chosen.children[1].value = "team-b/old"
    chosen.children[1].value = "team-a/scans"
    button(chosen, "Delete").click()
    assert "volumes.delete" not in [one.route for one in server.asked]
    server.answers["volumes.list"] = VolumeList()
    button(chosen, "Delete").click()
    assert "Deleted team-a/scans." in said(chosen)
    assert chosen.children[1].value is None


def test_a_refusal_says_who_mounts_it(chosen, server):
    server.answers["volumes.delete"] = InUse("scans is mounted by exp (ana).", hint="Stop it.")
    for _ in range(2):
        button(chosen, "Delete").click()
    assert "scans is mounted by exp (ana)." in said(chosen)
    assert chosen.children[1].value == "team-a/scans"
