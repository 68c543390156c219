"""A kernel that has run nothing is prepared for its notebook."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..client.variables import pickles
from ..model.sessions import Session
from . import folder
from .channels.probe import ReadyChannels
from .messages import Message

_SECONDS = 10.0
"""Seconds for the kernel to answer; it runs nothing else."""


def prepare(
    channels: ReadyChannels, session: Session, notebook: str, *, here: bool
) -> folder.Folder | None:
    """Give a kernel that has run nothing its folder, and what was kept for its notebook.

    `notebook` is the notebook's folder, `here` whether the kernel runs on this machine. Returns
    whether the kernel works there, None if it has run something. Raises ChannelsLost.
    """
    if evaluate(channels, "str(get_ipython().execution_count)") != "1":
        return None
    path = session.spec.folder
    if here:
        do(channels, f"__import__('os').chdir({json.dumps(notebook)})")
    found = here or folder.enter(partial(evaluate, channels), notebook)
    if not here or Path(path, pickles.KEPT).is_dir():
        take = f'm["take"](get_ipython().user_ns, m["kept_file"]({path!r}))'
        do(channels, pickles.program(take))
    return folder.Folder(notebook, found)


def evaluate(channels: ReadyChannels, expression: str) -> str:
    """Return the value of a Python expression for a text, empty if it fails."""
    found = do(channels, "", {"value": expression}).get("user_expressions", {}).get("value", {})
    text = found.get("data", {}).get("text/plain", "''")
    return str(ast.literal_eval(text))


def do(
    channels: ReadyChannels, code: str, expressions: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Run code without outputs or history in a kernel that runs nothing; return its reply.

    That is empty if none comes in time. The reply has the values of the `expressions`.
    """
    content = {
        "code": code,
        "silent": True,
        "store_history": False,
        "allow_stdin": False,
        "user_expressions": dict(expressions),
    }
    asked = Message.new("shell", "execute_request", content, session="gpuquota")
    reply = channels.answer(asked, _SECONDS)
    return reply.read() if reply else {}
