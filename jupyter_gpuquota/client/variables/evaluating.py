"""Lets a kernel of a session write its variables: it is carried there and runs beside the kernel.

Besides the standard library it needs only jupyter_client, which every Jupyter Server needs. The
syntax of Python 3.8.
"""

from __future__ import annotations

import ast
import base64
import json
import sys
import time
import zlib
from pathlib import Path
from queue import Empty
from typing import Any

from .pickles import program


def main() -> None:
    """Print the value of an expression in a kernel, or why there is none (`failed`).

    The arguments are what precedes that, and a JSON document: the id of the `kernel`, the
    expression `then`, where `m` has the names of `pickles`, and for how many `seconds` to wait.
    """
    mark, asked = sys.argv[1], json.loads(sys.argv[2])
    try:
        from jupyter_core.paths import jupyter_runtime_dir  # noqa: PLC0415 (only there)

        file = Path(jupyter_runtime_dir(), f"kernel-{asked['kernel']}.json")
        code = program(f'm["json"].dumps({asked["then"]})')
        value = json.loads(evaluated(str(file), code, asked["seconds"]))
        found: dict[str, Any] = {"value": value}
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        found = {"failed": str(error) or type(error).__name__}
    packed = base64.b64encode(zlib.compress(json.dumps(found).encode())).decode()
    sys.stdout.write(f"{mark}{packed}\n")


def evaluated(connection_file: str, code: str, seconds: float) -> str:
    """Return the text to which an expression evaluates in a kernel. Raises RuntimeError."""
    from jupyter_client.blocking.client import (  # noqa: PLC0415 (only the session has it)
        BlockingKernelClient,
    )

    client = BlockingKernelClient(connection_file=connection_file)
    client.load_connection_file()
    client.start_channels(iopub=False, stdin=False, hb=False, control=False)
    try:
        sent = client.execute("", silent=True, user_expressions={"it": code}, allow_stdin=False)
        deadline = time.monotonic() + seconds
        while True:
            reply = client.get_shell_msg(timeout=max(0.0, deadline - time.monotonic()))
            if reply["parent_header"].get("msg_id") == sent:
                break
    except (Empty, TimeoutError) as error:
        raise RuntimeError("The kernel does not answer.") from error
    finally:
        client.stop_channels()
    content = reply["content"]
    found = content.get("user_expressions", {}).get("it", content)
    if found.get("status") != "ok":
        raise RuntimeError(f"The kernel could not do it: {found.get('evalue') or found}.")
    return str(ast.literal_eval(found["data"]["text/plain"]))
