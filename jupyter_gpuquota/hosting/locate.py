"""Find the folder of the controller: from the environment, the configuration, or the default.

`LocalConfig.state_dir` stands in `jupyter_gpuquota_config.json` or `.py` on Jupyter's paths. A
`.py` file is a program of the admin's. A shell runs it as every Jupyter command does; a kernel, in
which a user works, has another process run it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from ..errors import NoServer

VARIABLE = "GPUQUOTA_STATE_DIR"
"""Names the folder; our extension of Jupyter Server sets it for its kernels and terminals."""

Reader = Callable[[], str]

_NAME = "jupyter_gpuquota_config"
_PATIENCE = 60


def read_here() -> str:
    """Return `LocalConfig.state_dir`, empty if it is not configured; run `.py` files here.

    As in every Jupyter application the first folder of `jupyter --paths` wins, and in one folder
    JSON wins over Python. Raises NoServer for a file that cannot be read.
    """
    from jupyter_core.paths import jupyter_config_path  # noqa: PLC0415 (keeps the import light)
    from traitlets.config import loader  # noqa: PLC0415 (the same)

    for folder in jupyter_config_path():
        for kind, ending in (
            (loader.JSONFileConfigLoader, "json"),
            (loader.PyFileConfigLoader, "py"),
        ):
            try:
                with redirect_stdout(sys.stderr):
                    config: Any = kind(f"{_NAME}.{ending}", path=folder).load_config()
            except loader.ConfigFileNotFound:
                continue
            except Exception as error:
                where = Path(folder, f"{_NAME}.{ending}")
                raise NoServer(
                    f"The configuration {where} cannot be read: {type(error).__name__}: {error}",
                    hint="Mend the file, or have an admin do it.",
                ) from error
            found = config.get("LocalConfig", {}).get("state_dir", "")
            if isinstance(found, str) and found:
                return found
    return ""


def read_apart() -> str:
    """Return the same as `read_here`, but run `.py` files in a process of their own."""
    from jupyter_core.paths import jupyter_config_path  # noqa: PLC0415 (keeps the import light)

    if not any(Path(folder, f"{_NAME}.py").exists() for folder in jupyter_config_path()):
        return read_here()
    import subprocess  # noqa: PLC0415 (the same)

    command = [sys.executable, "-m", __name__]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=_PATIENCE, check=False, cwd="/"
    )
    if result.returncode:
        said = result.stderr.strip().splitlines()
        raise NoServer(said[-1] if said else "The configuration cannot be read.")
    return str(json.loads(result.stdout))


def state_dir(read: Reader = read_apart) -> Path:
    """Tell the state folder; it need not exist yet.

    `read` returns what is configured; it is asked only if the environment does not say.
    Raises NoServer for a configuration that cannot be used.
    """
    named = os.environ.get(VARIABLE) or read()
    if not named:
        from jupyter_core.paths import jupyter_data_dir  # noqa: PLC0415 (keeps the import light)

        return Path(jupyter_data_dir()) / "gpuquota"
    found = Path(named).expanduser()
    if not found.is_absolute():
        raise NoServer(
            f"The state folder must be an absolute path, not {named!r}.",
            hint=f"It comes from {VARIABLE} or LocalConfig.state_dir.",
        )
    return found


def main() -> None:
    """Print what is configured, as JSON."""
    try:
        found = read_here()
    except NoServer as error:
        sys.exit(f"{error.message} {error.hint}")
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
