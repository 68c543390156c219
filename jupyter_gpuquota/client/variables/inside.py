"""Asks kernels of a session for their variables: it is carried there and runs beside them.

Its arguments are what precedes its answer, and a JSON document: requests, by the ids of kernels, as
`far.Conversation` hears them, and for how many `seconds` each kernel is waited for. The syntax of
Python 3.8.
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from pathlib import Path
from typing import Any

from .evaluating import evaluated
from .source import program


def main() -> None:
    """Print the answers by the ids of kernels; `failed` says why there is none."""
    mark, asked = sys.argv[1], json.loads(sys.argv[2])
    found = {
        kernel: ask(kernel, request, asked["seconds"])
        for kernel, request in asked["requests"].items()
    }
    packed = base64.b64encode(zlib.compress(json.dumps(found).encode())).decode()
    sys.stdout.write(f"{mark}{packed}\n")


def ask(kernel: str, request: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Return what one kernel answers."""
    try:
        from jupyter_core.paths import jupyter_runtime_dir  # noqa: PLC0415 (only there)

        file = Path(jupyter_runtime_dir(), f"kernel-{kernel}.json")
        code = program(f'm["json"].dumps(m["answer"](get_ipython(), {request!r}))')
        answer: dict[str, Any] = json.loads(evaluated(str(file), code, seconds))
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        return {"failed": str(error) or type(error).__name__}
    return answer
