"""Finding the notebook's folder where a kernel runs elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.kernels import entering, folder


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The storage of a session: its folder, where the kernel starts, and two volumes."""
    for name in ("home", "volumes/data", "volumes/work"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "home")
    monkeypatch.setenv("GPUQUOTA_VOLUMES", str(tmp_path / "volumes"))
    return tmp_path


def evaluate(expression: str) -> str:
    """Evaluate an expression as a kernel does."""
    return str(eval(expression))  # noqa: S307 (our own expression)


def test_the_ends_of_a_path():
    assert folder.ends("/home/ana/work") == ["home/ana/work", "ana/work", "work", ""]


@pytest.mark.parametrize("place", ["home/notes", "volumes/work/notes", "volumes/work"])
def test_a_folder_on_shared_storage_is_entered(there: Path, place: str) -> None:
    (there / place).mkdir(exist_ok=True)
    # Storage that has another path here: a link stands for a mount.
    mounted = there / "elsewhere"
    mounted.symlink_to(there / place.partition("/notes")[0])
    here = mounted / "notes" if place.endswith("notes") else mounted
    assert folder.enter(evaluate, str(here))
    assert Path.cwd() == there / place
    assert not list((there / place).iterdir())  # the mark has gone


def test_a_folder_of_the_same_name_on_other_storage_is_not_entered(there: Path) -> None:
    (there / "home/notes").mkdir()
    own = there / "own/notes"
    own.mkdir(parents=True)
    assert not folder.enter(evaluate, str(own))
    assert Path.cwd() == there / "home"
    assert list(own.iterdir()) == []


def test_a_folder_in_which_nothing_can_be_made_is_not_recognised(there: Path) -> None:
    assert not folder.enter(evaluate, str(there / "gone"))


def test_without_volumes_only_the_own_folder_is_looked_at(there: Path) -> None:
    assert entering.places("") == [there / "home"]
    assert entering.places(str(there / "nothing")) == [there / "home"]
