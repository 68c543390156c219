"""The widget of datasets: what it shows, and what its buttons do."""

from __future__ import annotations

import pytest
from ipywidgets import Widget

from jupyter_gpuquota import Client, DatasetsWidget
from jupyter_gpuquota.errors import InUse
from jupyter_gpuquota.model.datasets.caches import CacheAnswer, Pin
from jupyter_gpuquota.model.datasets.datasets import DatasetList
from jupyter_gpuquota.model.datasets.files import Comparison
from jupyter_gpuquota.model.datasets.versions import VersionCopy
from jupyter_gpuquota.model.struct import Nothing, Page
from tests.client.answering import Answering
from tests.client.data.samples import (
    FIRST,
    SECOND,
    make_copy,
    make_dataset,
    make_job,
    make_version,
)
from tests.ui.test_widgets import button, said


@pytest.fixture(autouse=True)
def no_widget_stays():
    yield
    Widget.close_all()


@pytest.fixture
def server() -> Answering:
    fetching = VersionCopy(state="fetching", done=43, size=100)
    versions = (
        make_version(SECOND, message="<b>more</b>", copy=fetching),
        make_version(FIRST, tags=("v1",)),
    )
    return Answering(
        {
            "datasets.list": DatasetList(items=(make_dataset(), make_dataset("faces"))),
            "datasets.get": make_dataset(),
            "versions.list": Page(items=versions, total=2, revision="1"),
            "versions.get": versions[1],
        }
    )


@pytest.fixture
def widget(server) -> DatasetsWidget:
    return DatasetsWidget("digits", Client(transport=server))


@pytest.fixture
def chosen(widget) -> DatasetsWidget:
    """The widget, with its first version selected."""
    versions = widget.children[2]
    versions.value = FIRST
    return widget


def test_versions_are_shown_with_their_copies(widget):
    shown = widget.children[1].value
    assert "fetching 43 %" in shown
    assert "&lt;b&gt;more&lt;/b&gt;" in shown
    assert [label for label, _ in widget.children[2].options] == [
        f"{SECOND[:12]}: <b>more</b>",
        f"{FIRST[:12]} v1",
    ]


def test_buttons_need_a_version(widget):
    assert button(widget, "Cache").disabled
    button(widget, "Cache").click()
    assert "No version selected." in said(widget)


def test_without_a_name_the_first_dataset_is_shown(server):
    widget = DatasetsWidget(client=Client(transport=server))
    assert widget.children[0].value == "digits"
    widget.children[0].value = "faces"
    asked = [asked.args["dataset"] for asked in server.asked if asked.route == "versions.list"]
    assert asked[-1] == "faces"


def test_without_datasets_it_says_so(server):
    server.answers["datasets.list"] = DatasetList()
    widget = DatasetsWidget(client=Client(transport=server))
    assert "no versions yet" not in widget.children[1].value
    assert "No datasets" in widget.children[1].value


def test_the_buttons_do_what_they_say(server, chosen):
    server.answers |= {
        "caches.create": CacheAnswer(job=make_job(kind="cache")),
        "caches.pin": make_copy(pins=(Pin(user="ana"),)),
        "caches.unpin": make_copy(),
        "caches.delete": Nothing(),
        "versions.compare": Comparison(items=(), total=0, revision="1", before=FIRST, after=SECOND),
    }
    expected = {
        "Cache": "Fetching. Refresh shows its progress.",
        "Pin": "Pinned by ana.",
        "Unpin": "Removed your pin.",
        "Clear": "Cleared the cached copy.",
        "Compare with latest": "have the same files",
        "Path": "is not cached here",
    }
    for label, text in expected.items():
        button(chosen, label).click()
        assert text in said(chosen), label
    args = [asked.args for asked in server.asked if asked.route.startswith("caches.")]
    assert {tuple(each.values()) for each in args} == {("digits", FIRST)}


def test_errors_appear_below(server, chosen):
    server.answers["caches.delete"] = InUse("team-a/exp1 uses it.")
    button(chosen, "Clear").click()
    assert "team-a/exp1 uses it." in said(chosen)


def test_refreshing_keeps_the_selection(chosen):
    button(chosen, "Refresh").click()
    assert chosen.children[2].value == FIRST


def test_a_kernel_can_write_it_as_text(widget):
    assert repr(widget).startswith("DatasetsWidget(")
