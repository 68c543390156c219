"""A snapshot of a home folder: the user's files, and nothing that is made again or has tokens."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.control.snapshots.previews import preview
from jupyter_gpuquota.core.exclusion import CACHE, ENVIRONMENT, IGNORE_FILE, STATE
from jupyter_gpuquota.core.snapshots.redaction import LEFT_OUT
from jupyter_gpuquota.jobs.verbs import snapshot
from jupyter_gpuquota.store.attributes import MODES
from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.snapshots import OWN
from tests.jobs.conftest import lake, lake_url
from tests.jobs.snapshots.taken import manifests, order, volume
from tests.store.contents import KEY, TAG, put
from tests.store.living import entries

__all__ = ["lake", "lake_url"]

pytestmark = pytest.mark.asyncio

SAID = "ss-0123456789abcdef"
USER = {
    "train.py": "print(1)\n",
    "notes/.ipynb_checkpoints/a-checkpoint.ipynb": "{}",
    "certs/cacert.pem": "-----BEGIN CERTIFICATE-----\nMIIF\n",
    ".config/app.toml": "x = 1\n",
    ".gpuquota/hooks/snapshot": "#!/bin/sh\n",
}
OTHERS = {
    ".local/share/jupyter/gpuquota/controller.lock": "",
    ".local/share/jupyter/gpuquota/state.db": "",
    ".local/share/jupyter/gpuquota/sessions/s1/launch.json": f'{{"token": "{SAID}"}}',
    ".local/share/jupyter/runtime/kernel-1.json": f'{{"key": "{SAID}"}}',
    ".cache/pip/x": "",
    ".venv/pyvenv.cfg": "",
    ".venv/lib/cacert.pem": "-----BEGIN CERTIFICATE-----\n",
    "miniconda3/conda-meta/history": "",
    "web/node_modules/left-pad/index.js": "",
    "pkg/__pycache__/a.pyc": "",
    ".pytest_cache/CACHEDIR.TAG": TAG,
    "deploy": KEY,
    "copy-of-launch.json": f'{{"GPUQUOTA_SESSION_TOKEN": "{SAID}"}}',
    "lake/manifests/ab/c.jsonl.gz": "",
    "lake/datasets/x/dataset.json": "",
}
LEFT = {
    ".local/share/jupyter/gpuquota": STATE,
    ".local/share/jupyter/runtime": STATE,
    "lake": STATE,
    ".cache": CACHE,
    ".pytest_cache": CACHE,
    ".venv": ENVIRONMENT,
    "miniconda3": ENVIRONMENT,
    "deploy": LEFT_OUT,
    "copy-of-launch.json": LEFT_OUT,
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with the state of a controller, caches and environments."""
    home = tmp_path / "home"
    put(home, USER | OTHERS)
    return home


@pytest.fixture
def take(tmp_path: Path, lake_url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Take a snapshot in this process; return its manifest and the paths that it stores."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))

    async def run(wanted: Any) -> tuple[Any, set[str]]:
        objects = connect(lake_url)
        made = await snapshot.take(Told(), wanted, objects, lake_url)
        manifest = (await manifests(objects))[made]
        stored = set()
        for tree in manifest.trees:
            stored |= {entry.path for entry, _ in await entries(objects, tree.version)}
        stored -= {f"{OWN}/{MODES}"}
        return manifest, stored

    return run


class Told:
    """What a job is told."""

    def __init__(self) -> None:
        self.notes: dict[str, Any] = {}

    def note(self, **facts: Any) -> None:
        """Note facts."""
        self.notes |= facts

    def progress(self, progress: object) -> None:
        """Go on."""


def left(manifest: Any) -> dict[str, str]:
    """Return why paths were left out."""
    prefix = "left out:"
    return {
        each.part.removeprefix(prefix): each.message
        for each in manifest.problems
        if each.part.startswith(prefix)
    }


async def test_a_home_folder_is_stored_without_what_is_not_the_users(home, take):
    manifest, stored = await take(order(home))
    assert stored == set(USER)
    assert LEFT.items() <= left(manifest).items()
    assert left(manifest).keys() == {*LEFT, "web/node_modules", "pkg/__pycache__"}


async def test_the_file_of_patterns_and_those_of_the_request_decide(home, take):
    put(home, {IGNORE_FILE: "!.venv/\n*.py\n", "raw/a": ""})
    manifest, stored = await take(order(home, patterns=("/raw/",)))
    assert {".venv/pyvenv.cfg", ".venv/lib/cacert.pem", IGNORE_FILE} <= stored
    assert "train.py" not in stored
    assert "raw/a" not in stored
    assert left(manifest)["raw"] == "Excluded by /raw/"
    assert left(manifest)["train.py"] == "Excluded by *.py"


async def test_state_that_nothing_marks_is_named_by_the_controller(home, take):
    put(home, {"tmp/gpuq/token": "", "tmp/gpuq/a": SAID})
    manifest, stored = await take(order(home, own=(str(home / "tmp/gpuq"),)))
    assert "tmp/gpuq/a" not in stored
    assert left(manifest)["tmp/gpuq"] == STATE


async def test_volumes_follow_the_same_rules(home, take, tmp_path):
    scratch = tmp_path / "scratch"
    put(scratch, {"w.pt": "", "env/pyvenv.cfg": "", "x.tmp": "", IGNORE_FILE: "*.tmp\n"})
    manifest, stored = await take(order(home, mounted=(volume(scratch),)))
    assert stored == {*USER, "w.pt", IGNORE_FILE}
    assert left(manifest)["scratch/env"] == ENVIRONMENT


async def test_each_kind_is_named_if_very_many_paths_are_left_out(home, take):
    for number in range(60):
        put(home, {f"a{number}/__pycache__/m.pyc": ""})
    manifest, _ = await take(order(home))
    assert LEFT.items() <= left(manifest).items()
    assert "more paths, not named here." in manifest.problems[-1].message


async def test_what_is_left_out_is_told_with_the_end_of_the_job(
    home, lake_url, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    told = Told()
    await snapshot.take(told, order(home), connect(lake_url), lake_url)
    assert told.notes["reason"].startswith("Left out: .cache, ")


async def test_notebooks_of_environments_and_caches_are_not_listed(home, take):
    body = json.dumps({"cells": []})
    put(home, {"a.ipynb": body, ".venv/share/b.ipynb": body, ".cache/c.ipynb": body})
    put(home, {".local/share/jupyter/gpuquota/d.ipynb": body, "miniconda3/e.ipynb": body})
    manifest, _ = await take(order(home))
    assert [each.path for each in manifest.notebooks] == ["a.ipynb"]


async def test_the_preview_says_what_the_snapshot_stores(home, take, tmp_path):
    scratch = tmp_path / "scratch"
    put(scratch, {"w.pt": "12345", "env/pyvenv.cfg": ""})
    wanted = order(home, mounted=(volume(scratch),), patterns=("*.toml",))
    found = preview(wanted)
    manifest, stored = await take(wanted)
    assert found.complete
    assert found.files == len(stored)
    assert found.size == sum(tree.size for tree in manifest.trees)
    assert {each.path: each.why for each in found.left_out} == left(manifest)
    assert found.all_left_out == len(found.left_out)


async def test_counting_ends_in_time(home):
    found = preview(order(home), patience=-1)
    assert (found.files, found.complete) == (0, False)


async def test_a_key_is_found_in_a_file_that_had_none(home, take):
    """Also if the file was looked through before, and keeps its size and its times."""
    path = home / "notes.txt"
    path.write_text("x" * len(KEY))
    long_ago = 1_000_000_000
    os.utime(path, ns=(long_ago, long_ago))
    _, stored = await take(order(home))
    assert "notes.txt" in stored
    path.write_text(KEY)
    os.utime(path, ns=(long_ago, long_ago))
    manifest, stored = await take(order(home))
    assert "notes.txt" not in stored
    assert left(manifest)["notes.txt"] == LEFT_OUT


async def test_an_unreadable_file_is_named(home, take):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    put(home, {"locked.txt": "x"})
    (home / "locked.txt").chmod(0)
    manifest, stored = await take(order(home))
    assert "locked.txt" not in stored
    assert left(manifest)["locked.txt"] == "It cannot be read: Permission denied."
