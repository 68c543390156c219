"""What is left out of a folder: rules by name, and a user's patterns."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.core import exclusion
from jupyter_gpuquota.core.exclusion import Patterns
from jupyter_gpuquota.model.snapshots.manifest import PartProblem

LINES = ["# comment", "", "*.tmp", "/raw/", "data/*", "!data/keep/", r"\#odd", "a b"]


@pytest.mark.parametrize(
    ("path", "excluded"),
    [
        ("x.tmp", True),
        ("deep/x.tmp", True),
        ("raw/", True),
        ("raw", None),
        ("deep/raw/", None),
        ("data/1.bin", True),
        ("data/keep/", False),
        ("data/keep/1.bin", False),
        ("#odd", True),
        ("# comment", None),
        ("a b", True),
        ("train.py", None),
    ],
)
def test_patterns_are_those_of_gitignore(path, excluded):
    assert Patterns(LINES).excludes(path) is excluded


def test_later_patterns_override_earlier_ones():
    assert Patterns(["!*.tmp", "*.tmp"]).excludes("a.tmp")
    assert Patterns(["*.tmp", "!*.tmp"]).excludes("a.tmp") is False
    assert Patterns(["*.bin", "", "*.tmp"]).which("a.tmp") == "*.tmp"


def test_without_patterns_nothing_is_decided():
    assert Patterns([]).excludes("a") is None
    assert Patterns(["# only a comment"]).excludes("a") is None


@pytest.mark.parametrize(
    ("folder", "left_out"),
    [
        (".cache", True),
        ("a/__pycache__", True),
        ("web/node_modules", True),
        ("cache", False),
        (".ipynb_checkpoints", False),
        ("data", False),
    ],
)
def test_folders_that_are_made_again_are_known_by_name(folder, left_out):
    assert bool(exclusion.by_name(folder)) is left_out


def test_the_runtime_folder_of_jupyter_is_known_anywhere():
    assert exclusion.is_runtime("jupyter/runtime")
    assert exclusion.is_runtime(".local/share/jupyter/runtime")
    assert not exclusion.is_runtime("my-jupyter/runtime")
    assert not exclusion.is_runtime("runtime")


def test_patterns_in_a_request_are_checked():
    wrong = exclusion.check_patterns("exclude", ["*.tmp", "", "a\nb", "x" * 2000, "!"])
    assert [each.field for each in wrong] == [f"exclude[{index}]" for index in (1, 2, 3, 4)]
    (many,) = exclusion.check_patterns("exclude", ["*.tmp"] * 1001)
    assert many.field == "exclude"


def test_what_was_left_out_is_said_in_a_sentence():
    names = [".cache", ".env", ".venv", "node_modules", "x"]
    problems = [PartProblem(part=f"left out:{name}", message="…") for name in names]
    other = PartProblem(part="git", message="…")
    assert exclusion.summary([other, *problems]) == "Left out: .cache, .env, .venv and 2 more."
    assert exclusion.summary(problems[:1]) == "Left out: .cache."
    assert exclusion.summary([other]) == ""
    rest = PartProblem(part="left out", message="9 more paths, not named here.")
    said = exclusion.summary([*problems, rest])
    assert said == "Left out: .cache, .env, .venv and many more."
