"""The script that is carried into sessions: it needs nothing there, and says no secrets."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jupyter_gpuquota
from jupyter_gpuquota.control.inside import kernel_variables
from jupyter_gpuquota.control.inside.carrying import Unreadable
from jupyter_gpuquota.control.snapshots import drafts
from jupyter_gpuquota.control.snapshots.parts import look, notebooks, repositories
from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.core.utf8 import encodable
from jupyter_gpuquota.model.snapshots.manifest import FilePart
from tests.jobs.snapshots.taken import order

HIDDEN = "hunter-22222"
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def said(folder: Path, *artifacts: str) -> str:
    """Return what is printed in a folder, by a Python without this product."""
    words = drafts.command(artifacts)
    env = {"PATH": os.environ["PATH"], "API_TOKEN": HIDDEN, "HOME": str(folder)}
    python = str(Path(sys.base_prefix, "bin", "python3"))
    done = subprocess.run(
        [python, *words[1:]], cwd=folder, env=env, capture_output=True, check=True
    )
    return done.stdout.decode()


def test_it_finds_what_a_folder_has_without_secrets(tmp_path: Path) -> None:
    for words in (["init", "-q"], ["add", "a.py"]):
        (tmp_path / "a.py").write_text(f"key = '{HIDDEN}'\n")
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    (tmp_path / "model.pt").write_text("weights")
    output = said(tmp_path, "*.pt", "best-*")
    found = drafts.answered(f"a program says this\n{output}and this\n")
    [git] = found["git"]
    assert (git["dirty"], git["untracked"]) == (True, ["model.pt"])
    assert "a.py" in found["patches"][0]
    assert [each["path"] for each in found["artifacts"]] == ["model.pt"]
    assert found["environment"]["python"]
    assert found["problems"] == [["left out:best-*", "No file matches it."]]
    assert found.pop("secrets") == [HIDDEN]  # so that the controller leaves it out of the log
    assert HIDDEN not in repr(found)


@pytest.mark.parametrize("output", ["", "sh: python3: not found", "gpuquota-parts:eJyr"])
def test_an_answer_that_is_none_is_told(output: str) -> None:
    with pytest.raises(Unreadable, match=r"\w"):
        drafts.answered(output)


@pytest.mark.parametrize("module", [*drafts.MODULES, *kernel_variables.MODULES])
def test_what_is_carried_is_python_3_8_with_what_every_session_has(module: str) -> None:
    path = Path(jupyter_gpuquota.__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    imported = [each for each in ast.walk(tree) if isinstance(each, (ast.Import, ast.ImportFrom))]
    names = [
        name.name if isinstance(each, ast.Import) else each.module
        for each in imported
        for name in each.names
        if isinstance(each, ast.Import) or not each.level
    ]
    tops = {str(name).partition(".")[0] for name in names} - sys.stdlib_module_names
    assert tops <= ({"jupyter_client", "jupyter_core"} if module.startswith("client") else set())


def test_a_folder_that_takes_too_long_is_seen_in_part(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError, match="Only a part"):
        list(notebooks(tmp_path, -1.0))


@pytest.mark.parametrize("mark", ["conda-meta/history", "CACHEDIR.TAG", "controller.lock"])
def test_notebooks_of_environments_caches_and_our_own_state_are_not_recorded(
    tmp_path: Path, mark: str
) -> None:
    for folder in (tmp_path, tmp_path / "a", tmp_path / "made"):
        folder.mkdir(exist_ok=True)
        (folder / "one.ipynb").write_text("{}")
    (tmp_path / "made" / mark).parent.mkdir(exist_ok=True)
    (tmp_path / "made" / mark).touch()
    assert {each["path"] for each in notebooks(tmp_path)} == {"one.ipynb", "a/one.ipynb"}
    assert [each["path"] for each in notebooks(tmp_path / "made")] == ["one.ipynb"]  # asked for


def test_a_broken_repository_is_named_and_others_are_found(tmp_path: Path) -> None:
    for name in ("around", "around/broken", "around/whole"):
        subprocess.run(["git", "init", "-q", name], cwd=tmp_path, check=True)
    (tmp_path / "around/broken/.git/HEAD").write_text("nonsense")
    found = drafts.answered(said(tmp_path / "around"))
    assert [each["folder"] for each in found["git"]] == [".", "whole"]
    assert len(found["patches"]) == 2
    [(part, why)] = found["problems"]
    assert part == "git:broken"
    assert "not a git repository" in why


def test_of_very_many_notebooks_and_repositories_it_is_said_that_some_are_missing(
    tmp_path: Path,
) -> None:
    for number in range(21):
        (tmp_path / f"{number:02}/.git").mkdir(parents=True)
    for number in range(1001):
        (tmp_path / f"{number}.ipynb").write_bytes(b"{}")
    found = drafts.answered(said(tmp_path))
    said_of = dict(found["problems"])
    assert said_of["git"] == "Only the first 20 repositories are recorded."
    assert said_of["notebooks"] == "Only the first 1,000 notebooks are recorded."
    assert len(found["notebooks"]) == 1000


def test_of_as_many_repositories_as_are_recorded_none_is_missing(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number:02}/.git").mkdir(parents=True)
    assert len(list(repositories(tmp_path))) == 20


def test_what_cannot_be_read_or_encoded_is_named_and_the_rest_is_found(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name, body in {
        b"deep.ipynb": b'{"cells":' * 100_000,
        b"no.ipynb": b"no notebook",
        b"odd-\xe9.ipynb": b'{"cells": [{"cell_type": "code"}]}',
        b"text.ipynb": b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}',
        b"one.pt": b"1",
    }.items():
        (tmp_path / os.fsdecode(name)).write_bytes(body)
    found = drafts.answered(said(tmp_path, "*.pt", "/etc/*"))
    counted = {each["path"]: each["cells"] for each in found["notebooks"]}
    odd = os.fsdecode(b"odd-\xe9.ipynb")
    assert counted == {"deep.ipynb": 0, "no.ipynb": 0, odd: 1, "text.ipynb": 1}
    named = [part for part, _ in found["problems"]]
    assert {"unread:deep.ipynb", "unread:no.ipynb", "artifacts"} <= set(named)
    assert found["git"]
    draft = drafts.added_to(
        order(tmp_path).draft, found, lambda *_: FilePart(path="", size=0, sha256="")
    )
    read = identity.decode(body := identity.encode(draft), identity.identity(body))
    assert r"odd-\xe9.ipynb" in {each.path for each in read.notebooks}
    assert r"odd-\xe9.ipynb" in read.git[0].untracked


def test_of_very_many_notebooks_that_cannot_be_read_some_are_named(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.ipynb").touch()
    found = look(tmp_path, [], "", [])
    assert len([part for part, _ in found["problems"] if part.startswith("unread:")]) == 20
    assert ["unread", "10 more, not named here."] in found["problems"]


@pytest.mark.parametrize(
    "text", ["caf\udce9", "\ud800", {"\udcff": ["\ud83d"]}, "ok", 1, None], ids=ascii
)
def test_any_text_can_be_encoded(text: object) -> None:
    msgspec.json.encode(encodable(text))
    assert encodable("caf\udce9 \ud800 ö") == r"caf\udce9 \ud800 ö"
    assert encodable("caf\udce9 ö") == r"caf\xe9 ö"


@given(st.binary() | JSON.map(lambda value: json.dumps({"cells": value}).encode()))
def test_any_file_may_be_called_a_notebook(tmp_path_factory, body: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "a.ipynb").write_bytes(body)
    found = look(folder, [], "", [])
    assert [each["path"] for each in found["notebooks"]] == ["a.ipynb"]
    assert {part for part, _ in found["problems"]} <= {"unread:a.ipynb"}


def test_a_part_whose_files_have_any_shape_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text("#!/bin/sh\necho '[1, 2, 3, [[{}, 4, 5]]]'\n")
    python.chmod(0o755)
    (tmp_path / "a.ipynb").write_text("{}")
    found = look(tmp_path, [], str(python), [])
    assert ["environment", "It is not what it should be: TypeError."] in found["problems"]
    assert found["notebooks"]
