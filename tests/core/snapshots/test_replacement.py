"""Replacing a folder: a kill after any rename leads to the same end."""

from __future__ import annotations

from jupyter_gpuquota.core.snapshots.replacement import replacing, undoing


def run(names: dict[str, str], decide, away: str, back: str, steps: int) -> str:
    """Carry out some steps on folders by name; return the last decision."""
    step = ""
    for _ in range(steps):
        step = decide(**{name: name in names for name in ("place", "folder", "kept")})
        if step == "keep":
            names[away] = names.pop("place")
        elif step == "put":
            names["place"] = names.pop(back)
        else:
            break
    return step


def test_a_replacement_ends_the_same_wherever_it_was_killed() -> None:
    for killed in range(4):
        names = {"place": "old", "folder": "new"}
        run(names, replacing, "kept", "folder", killed)
        assert run(names, replacing, "kept", "folder", 9) == "done"
        assert names == {"place": "new", "kept": "old"}


def test_an_undo_ends_the_same_wherever_it_was_killed() -> None:
    for killed in range(4):
        names = {"place": "new", "kept": "old"}
        run(names, undoing, "folder", "kept", killed)
        assert run(names, undoing, "folder", "kept", 9) == "done"
        assert names == {"place": "old", "folder": "new"}


def test_a_folder_that_somebody_has_removed_is_not_guessed() -> None:
    assert replacing(place=False, folder=False, kept=True) == "lost"
    assert replacing(place=True, folder=True, kept=True) == "lost"
    assert undoing(place=True, folder=True, kept=True) == "lost"
