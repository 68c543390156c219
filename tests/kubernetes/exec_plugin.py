"""A program that gives tokens, as kubeconfigs name them."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def plugin(folder: Path, tokens: Sequence[dict[str, str]]) -> dict[str, Any]:
    """Return a user whose token comes from a program: the next one at each call."""
    script, state = folder / "plugin", folder / "tokens"
    state.write_text(json.dumps(tokens), encoding="utf-8")
    script.write_text(
        f"#!{sys.executable}\n"
        "import json, pathlib\n"
        f"state = pathlib.Path({str(state)!r})\n"
        "tokens = json.loads(state.read_text())\n"
        "state.write_text(json.dumps(tokens[1:] or tokens))\n"
        "print(json.dumps({'apiVersion': 'client.authentication.k8s.io/v1',"
        " 'kind': 'ExecCredential', 'status': tokens[0]}))\n",
        encoding="utf-8",
    )
    script.chmod(stat.S_IRWXU)
    api = {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never"}
    return {"exec": {**api, "command": str(script)}}
