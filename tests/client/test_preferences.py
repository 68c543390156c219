"""Preferences: one small file, written at once or not at all."""

from __future__ import annotations

import json

import pytest

from jupyter_gpuquota.client import preferences
from jupyter_gpuquota.errors import InvalidRequest, StorageFailed


def test_a_project_is_remembered_and_forgotten(preferred):
    assert preferences.project() == ""
    preferences.set_project("team-a")
    assert preferences.project() == "team-a"
    assert preferred.stat().st_mode & 0o777 == 0o600
    preferences.set_project("")
    assert preferences.project() == ""
    assert [path.name for path in preferred.parent.iterdir()] == [preferred.name]


def test_what_a_newer_version_remembers_is_kept(preferred):
    preferred.parent.mkdir()
    preferred.write_text('{"of_tomorrow": 1}')
    preferences.set_project("team-a")
    assert json.loads(preferred.read_text()) == {"of_tomorrow": 1, "project": "team-a"}


@pytest.mark.parametrize("damage", ["", "{", "[]", "\xff"])
def test_a_damaged_file_is_named(preferred, damage):
    preferred.parent.mkdir()
    preferred.write_bytes(damage.encode("latin-1"))
    with pytest.raises(InvalidRequest, match=r"gpuquota\.json"):
        preferences.project()


def test_a_folder_that_cannot_be_written_changes_nothing(preferred):
    preferred.parent.write_text("a file where the folder should be")
    with pytest.raises((StorageFailed, InvalidRequest)):
        preferences.set_project("team-a")
    assert preferred.parent.read_text() == "a file where the folder should be"
