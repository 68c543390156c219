"""Lists of places on the command line and in views."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec import structs

from jupyter_gpuquota.model.clusters.fallback import Fallback, FallbackPlace, PlacePreview
from jupyter_gpuquota.model.previews import Preview
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.ui.commands.sessions.places import fill, read
from jupyter_gpuquota.ui.parser import Parser
from jupyter_gpuquota.ui.views.details import SessionView
from jupyter_gpuquota.ui.views.previews import PreviewView
from jupyter_gpuquota.ui.widgets.launch import preview_html
from tests.builders import NOW, make_session

PLACES = tuple(
    FallbackPlace(name=name, cluster=cluster, project=project, share=Share(milli=1000))
    for name, cluster, project in (("lab", "lab", "team-a"), ("small", "cloud", "cloud/ml"))
)
LIST = Fallback(places=PLACES, since=NOW, until=NOW + timedelta(minutes=10))


@pytest.mark.parametrize(
    ("line", "wishes"),
    [
        ([], {}),
        (["--on", "lab,cloud"], {"on": ["lab", "cloud"]}),
        (["--on", "lab, small", "--on-wait", "10m"], {"on": ["lab", "small"], "on_wait": "10m"}),
    ],
)
def test_places_are_read(line: list[str], wishes: dict[str, object]) -> None:
    parser = Parser(prog="submit")
    fill(parser)
    assert read(parser.parse_args(line)) == wishes


@pytest.mark.parametrize(
    ("fallback", "text"),
    [
        (LIST, "lab (now), then small in cloud; goes on at "),
        (structs.replace(LIST, current=1, until=None), "lab, then small in cloud (now)"),
        (
            structs.replace(LIST, current=1, moving=True, until=None),
            "lab, then small in cloud (moving there)",
        ),
        (
            structs.replace(LIST, places=(PLACES[0], structs.replace(PLACES[1], refused="No."))),
            "lab (now), then small in cloud (refused: No.); goes on at ",
        ),
    ],
)
def test_details_name_the_places(fallback: Fallback, text: str) -> None:
    session = structs.replace(make_session(), fallback=fallback)
    assert text in SessionView(session).text
    assert "places" not in SessionView(make_session()).text


def test_a_preview_names_each_place() -> None:
    places = (
        PlacePreview(name="lab", cluster="lab", project="a", verdict="waits", message="Queued."),
        PlacePreview(name="small", cluster="cloud", project="b", verdict="fits", message="Starts."),
    )
    found = Preview(verdict="waits", message="Will be queued.", places=places)
    shown = PreviewView(found).text
    assert "small (cloud)" in shown
    assert "Starts." in shown
    assert "<li>small (cloud): Starts.</li>" in str(preview_html(found))
