"""Evaluates an expression in a kernel of this machine.

It runs in sessions: besides the standard library it needs only jupyter_client, which every Jupyter
Server needs.
"""

from __future__ import annotations

import ast
import time
from queue import Empty


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
