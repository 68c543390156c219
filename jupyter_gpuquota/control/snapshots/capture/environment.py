"""The Python, the packages and the GPUs that a session runs with."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

_PATIENCE = 60.0
_PACKAGES = (
    "import importlib.metadata as m, json, platform;"
    "print(json.dumps([platform.python_version(),"
    "{d.metadata['Name']: d.version for d in m.distributions() if d.metadata['Name']}]))"
)
_QUERY = ("--query-gpu=name,driver_version", "--format=csv,noheader")
_CUDA = re.compile(r"CUDA Version:\s*([0-9.]+)")


def packages(python: str) -> dict[str, Any]:
    """Return the version and the packages of a Python, as fields of an `EnvironmentPart`.

    Raises OSError, ValueError, subprocess.SubprocessError where it cannot be asked.
    """
    version, names = json.loads(_run([python, "-I", "-c", _PACKAGES]))
    return {"python": version, "packages": dict(sorted(names.items()))}


def gpus() -> dict[str, Any]:
    """Return GPUs, driver and its version of CUDA, as far as there are any, as such fields.

    Raises OSError, subprocess.SubprocessError where the driver does not answer.
    """
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return {}
    lines = [line.split(", ") for line in _run([tool, *_QUERY]).splitlines() if ", " in line]
    if not lines:
        return {}
    cuda = _CUDA.search(_run([tool]))
    return {
        "gpus": [line[0] for line in lines],
        "driver": lines[0][1],
        "cuda": cuda.group(1) if cuda else "",
    }


def _run(command: list[str]) -> str:
    return subprocess.run(
        command, capture_output=True, timeout=_PATIENCE, check=True, text=True, cwd="/"
    ).stdout
