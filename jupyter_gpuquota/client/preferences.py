"""The preferences of a user, for the shell and notebooks: one small file."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import InvalidRequest, StorageFailed


def path() -> Path:
    """Return the file of preferences."""
    from jupyter_core.paths import jupyter_config_dir  # noqa: PLC0415 (keeps the import light)

    return Path(jupyter_config_dir()) / "gpuquota.json"


def project() -> str:
    """Return the project to use where none is named; empty leaves it to the server.

    Raises InvalidRequest for a damaged file.
    """
    found = _read().get("project", "")
    return found if isinstance(found, str) else ""


def set_project(name: str) -> None:
    """Save a project, or none if `name` is empty. Raises StorageFailed, InvalidRequest."""
    kept = {**_read(), "project": name}
    target = path()
    made = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(kept, file, indent=2)
        made.replace(target)
    except OSError as error:
        with suppress(OSError):
            made.unlink()
        raise StorageFailed(
            f"{target} cannot be written: {error.strerror}.", hint="Nothing was changed."
        ) from error


def _read() -> dict[str, Any]:
    try:
        found = json.loads(path().read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidRequest(f"{path()} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidRequest(
            f"{path()} is damaged: {error}.", hint="Fix the file, or delete it."
        ) from error
    if not isinstance(found, dict):
        raise InvalidRequest(
            f"{path()} is damaged: it is not an object.", hint="Fix the file, or delete it."
        )
    return found
