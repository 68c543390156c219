"""Which paths of a folder on disk a snapshot leaves out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_gpuquota.core.exclusion import CACHE, ENVIRONMENT, IGNORE_FILE, STATE
from jupyter_gpuquota.core.snapshots.redaction import LEFT_OUT, may_hold_key
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.store.entries import FILE, FOLDER, LINK
from jupyter_gpuquota.store.exclusion import NO_RULES, Exclusion, Rules, own_patterns
from jupyter_gpuquota.store.sources import Folder
from tests.store.contents import KEY, TAG, put


def why(root: Path, path: str, rules: Rules = NO_RULES) -> str:
    """Return why a path is left out."""
    at = root / path
    mode = LINK if at.is_symlink() else FOLDER if at.is_dir() else FILE
    found, size = Exclusion(root, rules), at.lstat().st_size
    is_looked_through = mode == FILE and may_hold_key(path, size)
    has_key = is_looked_through and found.has_key(path, size)
    return found.why(path, mode) or (LEFT_OUT if has_key else "")


@pytest.mark.parametrize(
    ("file", "folder", "reason"),
    [
        ("env/pyvenv.cfg", "env", ENVIRONMENT),
        ("miniconda3/conda-meta/history", "miniconda3", ENVIRONMENT),
        ("work/envs/x/conda-meta/history", "work/envs/x", ENVIRONMENT),
        (".local/share/jupyter/runtime/kernel-1.json", ".local/share/jupyter/runtime", STATE),
        (".local/lib/python3.11/site-packages/x.py", ".local/lib/python3.11", ENVIRONMENT),
        ("project/lib/python3.11/x.py", "project/lib/python3.11", ""),
        ("old/controller.lock", "old", ""),
        ("manifests/ab/c.jsonl.gz", "manifests", ""),
    ],
)
def test_a_folder_is_known_by_what_it_contains(tmp_path, file, folder, reason):
    put(tmp_path, {file: ""})
    assert why(tmp_path, folder) == reason


def test_of_an_environment_around_code_only_the_packages_are_left_out(tmp_path):
    put(tmp_path, {"pyvenv.cfg": "", "lib/python3.12/x.py": "", "train.py": "", "sub/a": ""})
    put(tmp_path, {"p/pyvenv.cfg": "", "p/src/a.py": "", "p/lib64/python3.12/x.py": ""})
    put(tmp_path, {"pure/pyvenv.cfg": "", "pure/bin/python": "", "pure/lib/python3.12/x.py": ""})
    left = {"lib/python3.12", "p/lib64/python3.12", "pure"}
    for path in (
        "lib",
        "lib/python3.12",
        "sub",
        "p",
        "p/src",
        "p/lib64",
        "p/lib64/python3.12",
        "pure",
    ):
        assert why(tmp_path, path) == (ENVIRONMENT if path in left else ""), path


def test_a_cache_is_known_by_its_tag_alone(tmp_path):
    put(tmp_path, {"a/CACHEDIR.TAG": f"{TAG}\n# made by x\n", "b/CACHEDIR.TAG": "no signature"})
    put(tmp_path, {"c/x": TAG})
    (tmp_path / "c/CACHEDIR.TAG").symlink_to("x")
    assert [why(tmp_path, name) for name in "abc"] == [CACHE, "", ""]


def test_the_state_of_any_controller_and_any_lake_is_known(tmp_path):
    state = {"controller.lock": "", "state.db": "", "sessions/s1/launch.json": "{}"}
    lake = {"manifests/ab/c.jsonl.gz": "", "datasets/x/dataset.json": "{}"}
    put(tmp_path / "state", state)
    put(tmp_path / "lake", lake)
    put(tmp_path / "project", {"manifests/app.yaml": "", "datasets/x.csv": ""})
    assert why(tmp_path, "state") == STATE
    assert why(tmp_path, "lake") == STATE
    assert why(tmp_path, "project") == ""


def test_own_state_is_found_wherever_it_lies(tmp_path):
    home = tmp_path / "home"
    put(home, {"state/x": "", "other/y": ""})
    (tmp_path / "link").symlink_to(home)
    rules = Rules(own=(str(tmp_path / "link/state"), str(tmp_path), str(home)))
    assert why(home, "state", rules) == STATE
    assert why(home, "other", rules) == "", "what is around the folder leaves it whole"
    seen = Exclusion(tmp_path, rules, folder=home)  # a view of it
    assert seen.why("state", FOLDER) == STATE


def test_patterns_bring_back_what_rules_leave_out_but_no_secret_and_no_state(tmp_path):
    put(tmp_path, {".venv/pyvenv.cfg": "", ".cache/x": "", "key": KEY, "state/controller.lock": ""})
    put(tmp_path, {"state/state.db": "", IGNORE_FILE: "!*\n"})
    assert why(tmp_path, ".venv") == ""
    assert why(tmp_path, ".cache") == ""
    assert why(tmp_path, "key") == LEFT_OUT
    assert why(tmp_path, "state") == STATE


def test_patterns_of_a_request_follow_those_of_the_folder(tmp_path):
    put(tmp_path, {"a.tmp": "", "raw/x": "", IGNORE_FILE: "*.tmp\n/raw/\n"})
    rules = Rules(patterns=("!a.tmp",))
    assert why(tmp_path, "a.tmp") == "Excluded by *.tmp"
    assert why(tmp_path, "raw") == "Excluded by /raw/"
    assert why(tmp_path, "a.tmp", rules) == ""


def test_only_what_holds_a_key_is_a_secret(tmp_path):
    put(tmp_path, {"cacert.pem": "-----BEGIN CERTIFICATE-----\n", "notes": KEY, "demo.py": KEY})
    assert why(tmp_path, "cacert.pem") == ""
    assert why(tmp_path, "notes") == LEFT_OUT
    assert why(tmp_path, "demo.py") == ""


def test_lines_that_are_no_patterns_are_passed_over_and_named(tmp_path):
    put(tmp_path, {IGNORE_FILE: "*.tmp\n!\n"})
    assert own_patterns(tmp_path) == (
        ["*.tmp"],
        "These lines are no patterns of gitignore: 2.",
    )


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "large"])
def test_what_is_no_file_of_patterns_is_named(tmp_path, kind):
    path = tmp_path / IGNORE_FILE
    if kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"x\n" * (1 << 20))
    lines, problem = own_patterns(tmp_path)
    assert not lines
    assert problem
    with pytest.raises(InvalidFields):
        Folder(tmp_path)


def survey(root: Path, patterns: tuple[str, ...] = ()) -> int:
    """Return how many files a dataset's version of a folder would have."""
    return Folder(root, patterns).survey().files


def test_a_dataset_has_every_file_that_no_pattern_leaves_out(tmp_path):
    put(tmp_path, {"a.csv": "", "b.tmp": "", "raw/c": "", ".cache/d": "", IGNORE_FILE: "*.tmp\n"})
    assert survey(tmp_path) == 4
    assert survey(tmp_path, ("/raw/", "/.*")) == 1


def test_a_dataset_is_refused_that_would_have_tokens_of_the_product(tmp_path):
    put(tmp_path, {"a.csv": "", "state/controller.lock": "", "state/state.db": ""})
    with pytest.raises(InvalidFields) as refused:
        survey(tmp_path)
    (field,) = refused.value.fields
    assert field.field == "folder.state"
    assert IGNORE_FILE in field.hint
    assert survey(tmp_path, ("/state/",)) == 1
