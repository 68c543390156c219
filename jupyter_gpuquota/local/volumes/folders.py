"""Which existing folders may be shared."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ...core.requests.mounts import is_reserved
from ...errors import FieldError, refuse
from ...model.pods import ContainerRules

_HINTS = {
    "link": "Use the path that it leads to.",
    "exist": "Create it first, or leave it out to get a new folder.",
    "written": "Share it read-only, or use a folder of yours.",
    "": "Use a folder of yours.",
}
"""What to do, by a word of what is said of a folder."""


def check_folder(folder: str, state: Path, *, read_only: bool) -> None:
    """Raise InvalidFields unless a folder may be registered by the account. Raises no others."""
    problems = _problems(folder, state, read_only=read_only)
    refuse([FieldError("folder", text, hint) for text, hint in problems][:1])


def folder_problem(folder: str, *, read_only: bool) -> str:
    """Return why a folder cannot be mounted now, empty if it can.

    A link in its path is a problem: whoever may change it could lead sessions elsewhere.
    """
    if os.path.realpath(folder) != os.path.normpath(folder):
        return f"{folder} is, or lies behind, a symbolic link."
    if not Path(folder).is_dir():
        return f"{folder} {'is not a folder' if Path(folder).exists() else 'does not exist'}."
    wanted = os.R_OK | os.X_OK | (0 if read_only else os.W_OK)
    if not os.access(folder, wanted):
        return f"{folder} cannot be {'read' if read_only else 'written'}."
    return ""


def _problems(folder: str, state: Path, *, read_only: bool) -> Iterator[tuple[str, str]]:
    if problem := folder_problem(folder, read_only=read_only):
        said = problem.removeprefix(folder)
        yield problem, next(hint for word, hint in _HINTS.items() if word in said)
        return
    if is_reserved(folder, ContainerRules()):
        yield f"{folder} belongs to the system.", "Use a folder of yours."
    home = state.resolve()
    if home.is_relative_to(folder) or Path(folder).is_relative_to(home):
        yield f"{folder} holds the state of GPU sessions, or is part of it.", "Use another folder."
    if Path(folder).stat().st_uid != os.geteuid():
        hint = "Ask an administrator to share it: `volumes:` in the quota file."
        yield f"{folder} belongs to another account.", hint
