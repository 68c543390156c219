"""What `shipping` runs inside of a session: it prints one line with all parts that can be read.

The answer has the secrets of the session, too, so that others can leave them out; it is never
stored. It looks at the folder in which it runs. The argument is a JSON document with `artifacts`,
patterns of files there.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterable  # noqa: UP035 (Python 3.8 in sessions)

from ....core.snapshots import redaction
from . import environment, git, notebooks

MARK = "gpuquota-parts:"
"""What precedes the answer: programs in the session may print, too."""
_MOST = 700_000
"""The most bytes that are printed; longer output of programs is cut."""
_SAID = 300


def main() -> None:
    """Print what is found."""
    asked = json.loads(sys.argv[1])
    secrets = redaction.secret_values(os.environ)
    found = look(Path.cwd(), asked["artifacts"], sys.executable, secrets)
    found["secrets"] = secrets
    line = _packed(found)
    if len(line) > _MOST:
        found["patches"] = []
        found["problems"].append(["git", "The changes are too many to be stored."])
        line = _packed(found)
    print(MARK + line)  # noqa: T201 (the answer)


def look(root: Path, artifacts: list[str], python: str, secrets: list[str]) -> dict[str, Any]:
    """Return the fields of all parts; `problems` say which part failed, and why.

    Without a `python`, no packages are listed.
    """
    found: dict[str, Any] = {"patches": [], "problems": []}

    def attempt(part: str, step: Callable[[], None]) -> None:
        try:
            step()
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            found["problems"].append([part, words(error, secrets)])

    def repositories() -> None:
        found["git"] = []
        for folder in git.repositories(root):
            attempt(git.named(root, folder), partial(_add, found, root, folder, secrets))

    def installed() -> None:
        found["environment"] = environment.packages(python) if python else {}

    def listed() -> None:
        found["notebooks"] = []
        for each in notebooks.notebooks(root):
            found["notebooks"].append(each)

    def chosen() -> None:
        found["artifacts"] = list(notebooks.files(root, artifacts))
        missing = (f"left out:{each}" for each in artifacts if not _matches(root, each))
        found["problems"] += [[part, "No file matches it."] for part in missing]

    steps: list[tuple[str, Callable[[], None]]] = [
        ("git", repositories),
        ("environment", installed),
        ("gpus", lambda: found.update(gpus=environment.gpus())),
        ("notebooks", listed),
        ("artifacts", chosen),
    ]
    for name, step in steps:
        attempt(name, step)
    return found


def _add(found: dict[str, Any], root: Path, folder: Path, secrets: list[str]) -> None:
    """Add a repository to what is found. Raises OSError, subprocess.SubprocessError."""
    each = git.look(root, folder, secrets)
    found["git"].append(each.part)
    found["patches"].append(each.patch.decode(errors="surrogateescape"))


def _matches(root: Path, pattern: str) -> bool:
    """Return whether any file matches a pattern. Raises OSError."""
    return any(each.is_file() for each in root.glob(pattern))


def words(error: Exception, secrets: Iterable[str] = ()) -> str:
    """Return why a part could not be read, without secrets."""
    if isinstance(error, subprocess.CalledProcessError):
        said = error.stderr or b""
        text = said.decode(errors="replace") if isinstance(said, bytes) else said
        return (
            redaction.text(text.strip(), secrets)[-_SAID:] or f"It ended with {error.returncode}."
        )
    if isinstance(error, subprocess.TimeoutExpired):
        return f"It took longer than {error.timeout:g} seconds."
    return redaction.text(str(error), secrets)


def _packed(found: dict[str, Any]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(found).encode())).decode()
