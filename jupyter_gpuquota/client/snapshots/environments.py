"""Making the environment of a snapshot again, with uv."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ...errors import Conflict, FieldError, StorageFailed, Unsupported, refused
from ...model.snapshots.snapshots import EnvironmentFiles

_SAID = 2000
"""The most letters of what uv says that an error repeats."""


def make(found: EnvironmentFiles | None, folder: str | os.PathLike[str], snapshot: str) -> str:
    """Make a virtual environment with the packages of a snapshot; return its path.

    All of it is made, or nothing. Raises Unsupported without uv, or for an environment of conda or
    an image; InvalidFields for a folder that is there, Conflict with what uv says if it fails.
    """
    target = Path(folder).expanduser().absolute()
    files = _makeable(found, snapshot)
    if os.path.lexists(target):
        text = f"{target} exists already."
        raise refused(FieldError("environment", text, "Name a folder to make."))
    uv = _uv(snapshot)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="gpuquota-") as room:
            wanted = Path(room, "requirements.txt")
            lines = "".join(f"{line}\n" for line in files.requirements)
            wanted.write_text(lines, encoding="utf-8")
            _make(uv, files.python, target, wanted)
    except BaseException as error:
        shutil.rmtree(target, ignore_errors=True)  # nothing half made is left
        if isinstance(error, OSError):
            text = f"{target} cannot be made: {error.strerror}."
            raise StorageFailed(text, hint="Name another folder.") from error
        raise
    return str(target)


def _makeable(found: EnvironmentFiles | None, snapshot: str) -> EnvironmentFiles:
    if found is None:
        raise Unsupported(
            "The snapshot does not say which packages its session had.",
            hint="Name an environment: --environment.",
        )
    if found.explicit:
        raise Unsupported(
            "The environment of the snapshot was made by conda, not by uv.",
            hint=f"`jupyter gpu snapshot restore {snapshot} --dry-run` has the commands.",
        )
    return found


def _uv(snapshot: str) -> str:
    """Return the path of uv. Raises Unsupported."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("uv") or shutil.which("uv", path=beside)
    if found is None:
        raise Unsupported(
            "uv is not installed here.",
            hint="Install it: pip install uv. Or make an environment by hand with the output of "
            f"`jupyter gpu snapshot environment {snapshot}`, and name it with --environment.",
        )
    return found


def _make(uv: str, python: str, target: Path, wanted: Path) -> None:
    """Make an environment; another patch release of Python does where its own is not available."""
    release = python.rpartition(".")[0]
    begun = _run([uv, "venv", "--quiet", "--python", python, str(target)])
    if begun.returncode and release:
        begun = _run([uv, "venv", "--quiet", "--python", release, str(target)])
    _check(begun, f"There is no Python {python} for it")
    install = [uv, "pip", "install", "--quiet", "--no-deps", "--index-strategy=unsafe-best-match"]
    installed = _run([*install, "--python", str(target / "bin/python"), "-r", str(wanted)])
    _check(installed, "Its packages could not be installed")


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    return subprocess.run(
        words, capture_output=True, encoding="utf-8", errors="replace", check=False, env=environ
    )


def _check(done: subprocess.CompletedProcess[str], what: str) -> None:
    """Raise Conflict for a program that has failed."""
    if done.returncode:
        raise Conflict(
            f"{what}: {done.stderr.strip()[-_SAID:]}",
            hint="Mend that, or name another environment with --environment.",
        )
