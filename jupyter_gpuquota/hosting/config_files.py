"""Read `GpuQuota.backend` and `GpuQuota.state_dir` from the configuration.

They are in `jupyter_gpuquota_config.json` or `.py` on Jupyter's paths. A `.py` file is a program
of the admin's. A shell runs it like every Jupyter command; a kernel, in which a user works, runs it
in another process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import NoServer

SECTION = "GpuQuota"

_NAME = "jupyter_gpuquota_config"
_TIMEOUT = 60


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of backend and state folder, each empty if left open.

    `warning` is set if a setting has an outdated name.
    """

    backend: str = ""
    state_dir: str = ""
    warning: str = ""

    def __bool__(self) -> bool:
        """Return whether anything is chosen."""
        return bool(self.backend or self.state_dir)

    def over(self, other: Choice) -> Choice:
        """Return this choice, completed by the other one."""
        backend, state_dir = self.backend or other.backend, self.state_dir or other.state_dir
        warning = self.warning if self.state_dir else other.warning
        return Choice(backend, state_dir, warning)


Reader = Callable[[], Choice]
"""Returns the configured choice. Raises NoServer for an unreadable file."""


def in_config(config: Mapping[str, Any]) -> Choice:
    """Return the choice in a configuration, given by sections."""
    backend, state_dir = (_text(config, SECTION, name) for name in ("backend", "state_dir"))
    old = _text(config, "LocalConfig", "state_dir")
    if state_dir or not old:
        return Choice(backend, state_dir)
    return Choice(backend, old, "LocalConfig.state_dir is now called GpuQuota.state_dir.")


def read_here() -> Choice:
    """Return the configured choice; run `.py` files in this process. Raises NoServer.

    As in every Jupyter application the first folder of `jupyter --paths` wins, and in one folder
    JSON wins over Python.
    """
    found = Choice()
    for config in _files():
        found = found.over(in_config(config))
        if found.backend and found.state_dir:
            break
    return found


def read_apart() -> Choice:
    """Return the same as `read_here`, but run `.py` files in a process of their own."""
    from jupyter_core.paths import jupyter_config_path  # noqa: PLC0415 (keeps the import light)

    if not any(Path(folder, f"{_NAME}.py").exists() for folder in jupyter_config_path()):
        return read_here()
    import subprocess  # noqa: PLC0415 (the same)

    command = [sys.executable, "-m", __name__]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=_TIMEOUT, check=False, cwd="/"
    )
    if result.returncode:
        said = result.stderr.strip().splitlines()
        raise NoServer(said[-1] if said else "The configuration is unreadable.")
    return Choice(**json.loads(result.stdout))


def _files() -> Iterator[Mapping[str, Any]]:
    """Yield the contents of each file, highest precedence first."""
    from jupyter_core.paths import jupyter_config_path  # noqa: PLC0415 (keeps the import light)
    from traitlets.config import loader  # noqa: PLC0415 (the same)

    kinds = ((loader.JSONFileConfigLoader, "json"), (loader.PyFileConfigLoader, "py"))
    for folder in jupyter_config_path():
        for kind, ending in kinds:
            try:
                with redirect_stdout(sys.stderr):
                    yield kind(f"{_NAME}.{ending}", path=folder).load_config()
            except loader.ConfigFileNotFound:
                continue
            except Exception as error:
                where = Path(folder, f"{_NAME}.{ending}")
                raise NoServer(
                    f"The configuration {where} is unreadable: {type(error).__name__}: {error}",
                    hint="Fix the file, or ask an administrator.",
                ) from error


def _text(config: Mapping[str, Any], section: str, name: str) -> str:
    found = config.get(section, {}).get(name, "")
    return found if isinstance(found, str) else ""


def main() -> None:
    """Print the configured choice as JSON."""
    try:
        found = read_here()
    except NoServer as error:
        sys.exit(f"{error.message} {error.hint}")
    sys.stdout.write(json.dumps(asdict(found)))


if __name__ == "__main__":
    main()
