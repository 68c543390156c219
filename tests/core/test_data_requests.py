"""Datasets of a request: all that is wrong is told at once."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.core.fields import FieldReader
from jupyter_gpuquota.core.requests.data import (
    Asked,
    Resolved,
    data_text,
    parse,
    read_data,
)
from jupyter_gpuquota.model.datasets.mounts import DataMount, by_name
from jupyter_gpuquota.model.pods import ContainerRules

V1, V2 = "1" * 64, "2" * 64


def mount(dataset: str = "faces", path: str = "", version: str = V1) -> DataMount:
    return DataMount(dataset=dataset, version=version, path=path)


def problems(
    *texts: str, containers: ContainerRules | None = None, taken: tuple[str, ...] = ()
) -> dict[str, str]:
    reader = FieldReader()
    known = {}
    for text in texts:
        asked = parse(text)
        if asked and asked.dataset == "secret":
            known[text] = Resolved(problem="Dataset 'secret' not found.", hint="Datasets: faces.")
        elif asked:
            known[text] = Resolved(DataMount(dataset=asked.dataset, version=V1, path=asked.path))
    read_data(texts, known, containers, reader, taken)
    return {error.field: error.message for error in reader.errors}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("faces", Asked("faces")),
        ("faces@good", Asked("faces", "good")),
        ("faces@1234abcd:/data/train set", Asked("faces", "1234abcd", "/data/train set")),
        ("faces:/x", Asked("faces", "latest", "/x")),
        ("Faces", None),
        ("faces@", None),
        ("faces@a/b", None),
        ("faces:", None),
        ("faces:x", None),
        ("faces:/", None),
        ("faces:/x/", None),
        ("faces:/../x", None),
        ("faces:/x/..", None),
        ("faces:/./x", None),
        ("faces://x", None),
        ("faces:/x\n", None),
        ("faces:/x:ro", None),
        ("", None),
    ],
)
def test_what_a_text_requests(text: str, asked: Asked | None) -> None:
    assert parse(text) == asked


def test_everything_that_is_wrong_is_told_at_once() -> None:
    assert problems("faces", "Bad!", "secret@v1", "faces", "cats:/a", "dogs:/a", "owls:/a/b") == {
        "data[1]": "'Bad!' is not valid.",
        "data[2]": "Dataset 'secret' not found.",
        "data[3]": "faces is listed twice.",
        "data[5]": "/a is listed twice.",
        "data[6]": "/a/b and /a lie inside each other.",
    }


def test_two_versions_of_a_dataset_have_different_places() -> None:
    assert problems("faces", "faces@good:/old") == {}
    assert problems("faces:/new", "faces@good:/old") == {}


def test_a_container_keeps_its_own_folders() -> None:
    assert problems("faces:/usr/lib") == {}
    rules = ContainerRules()
    assert problems("faces:/usr", containers=rules) == {
        "data[0]": "/usr is used by the system or the session."
    }
    assert list(problems("cats", "faces:/data", "dogs:/data/cats", containers=rules)) == [
        "data[1]",
        "data[2]",
    ]
    assert problems("faces:/mnt/x", containers=rules, taken=("/mnt",)) == {
        "data[0]": "/mnt/x and /mnt lie inside each other."
    }


def test_a_text_of_a_mount_requests_the_same_version_again() -> None:
    assert parse(data_text(mount(path="/a"))) == Asked("faces", V1, "/a")
    assert parse(data_text(mount())) == Asked("faces", V1)


def test_a_name_leads_to_the_version_without_a_path_else_to_the_first() -> None:
    plain, placed, other = mount(), mount(path="/a", version=V2), mount("cats", "/b")
    assert by_name([placed, plain, other]) == {"faces": plain, "cats": other}
    assert by_name([placed, mount(path="/c")]) == {"faces": placed}
