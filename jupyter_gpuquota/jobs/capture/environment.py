"""The Python, the packages and the GPUs that a session runs with."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from msgspec.structs import replace

from ...model.snapshots.manifest import EnvironmentPart

_PATIENCE = 60.0
_PACKAGES = (
    "import importlib.metadata as m, json, platform;"
    "print(json.dumps([platform.python_version(),"
    "{d.metadata['Name']: d.version for d in m.distributions() if d.metadata['Name']}]))"
)
_QUERY = ("--query-gpu=name,driver_version", "--format=csv,noheader")


def packages(found: EnvironmentPart) -> EnvironmentPart:
    """Return the environment with its Python and packages.

    Raises OSError, ValueError, subprocess.SubprocessError where its Python cannot be asked.
    """
    python = Path(found.prefix, "bin", "python")
    answer = _run([str(python), "-I", "-c", _PACKAGES])
    version, names = json.loads(answer)
    return replace(found, python=version, packages=dict(sorted(names.items())))


def gpus(found: EnvironmentPart) -> EnvironmentPart:
    """Return the environment with GPUs and driver, as far as there are any.

    Raises OSError, subprocess.SubprocessError where the driver does not answer.
    """
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return found
    lines = [line.split(", ") for line in _run([tool, *_QUERY]).splitlines() if ", " in line]
    if not lines:
        return found
    return replace(found, gpus=tuple(line[0] for line in lines), driver=lines[0][1])


def _run(command: list[str]) -> str:
    return subprocess.run(
        command, capture_output=True, timeout=_PATIENCE, check=True, text=True, cwd="/"
    ).stdout
