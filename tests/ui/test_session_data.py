"""Datasets of sessions in commands, widgets and details."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from jupyter_gpuquota.ui.views.details import SessionView
from jupyter_gpuquota.ui.widgets.launch import LaunchWidget
from tests.builders import make_session
from tests.ui.conftest import Notes

LINE = "submit exp1 --interactive --data Faces@v1 --data cats:x"


def fields(error: InvalidFields) -> list[str]:
    """Return the fields of an error that are about datasets."""
    return [each.field for each in error.fields if each.field.startswith("data")]


@pytest.mark.parametrize("terminal", [False, True])
def test_datasets_are_sent_and_refused_one_by_one(client: Client, *, terminal: bool) -> None:
    with pytest.raises(InvalidFields) as caught:
        run(client, parse(split_line(LINE), terminal=terminal), Notes(shell=terminal))
    assert fields(caught.value) == ["data[0]", "data[1]"]


def test_one_dataset_may_be_text(client: Client) -> None:
    with pytest.raises(InvalidFields) as caught:
        client.sessions.submit("exp1", data="Faces@v1")
    assert fields(caught.value) == ["data[0]"]


def test_the_form_has_a_field_for_them(client: Client) -> None:
    form: Any = LaunchWidget(client)
    form._fields["name"].value = "exp1"
    form._fields["data"].value = "Faces@v1 'cats:/my data'"
    _, wishes = form._wishes()
    assert wishes["data"] == ["Faces@v1", "cats:/my data"]
    assert "data[0]" in form._preview.value


def test_the_form_names_the_field_that_cannot_be_split(client: Client) -> None:
    form: Any = LaunchWidget(client)
    form._fields["data"].value = "'"
    assert "data" in form._preview.value


def test_details_name_the_version_by_its_id() -> None:
    mounts = (
        DataMount(dataset="faces", version="12" * 32, ref="v1", path="/in"),
        DataMount(dataset="cats", version="ab" * 32),
    )
    text = SessionView(make_session(data=mounts)).text
    assert "faces@v1 (121212121212) at /in, cats@latest (abababababab)" in text
