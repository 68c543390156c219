"""Check the command of a request, and the arguments of its Jupyter Server."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from ...model.sessions import SessionRequest
from ..fields import FieldReader

_RESERVED_FLAG = re.compile(
    r"--(ip|port|port[-_]retries|sock|sock[-_]mode|transport|notebook[-_]dir|allow[-_]root|"
    r"keyfile|certfile|client[-_]ca)|"
    r"--(\w+App|\w*IdentityProvider)\.(ip|port|port_retries|sock|sock_mode|base_url|root_dir|"
    r"notebook_dir|token|password|password_required|hashed_password|allow_root|"
    r"identity_provider_class|login_handler_class|certfile|keyfile|open_browser|"
    r"shutdown_no_activity_timeout|custom_display_url)"
)
"""Arguments that change how a Jupyter Server is reached or secured."""

_OPERATOR = re.compile(r"&&?|\|\|?|<|&?\d?>{1,2}(&\d|[\w./~-]+)?|[\w./=-]+;")
"""Words that only a shell understands. A `;` alone is an argument of `find -exec`."""
_SHELLS = {"bash", "dash", "fish", "ksh", "sh", "zsh"}


def check_argv(request: SessionRequest, reader: FieldReader, *, partial: bool = False) -> None:
    """Check command and arguments; `partial`: a training may leave its command to its launch."""
    if request.kind == "train" and not request.command and not partial:
        reader.wrong("command", "command.missing")
    for field, words in (("command", request.command), ("args", request.args)):
        if any("\0" in word for word in words):
            reader.wrong(field, "field.nul")
    if request.command and not request.command[0].strip():
        reader.wrong("command", "command.empty")
    elif operator := _operator(request.command):
        line = " ".join(map(_written, request.command))
        shell = f"bash -c {shlex.quote(line)}"
        reader.wrong("command", "command.operator", operator=operator, shell=shell)
    for i, word in enumerate(() if request.command else request.args):
        if found := _RESERVED_FLAG.fullmatch(word.partition("=")[0]):
            reader.wrong(f"args[{i}]", "argument.reserved", argument=found[0])


def _operator(command: Sequence[str]) -> str:
    """Return the first word of a command that only a shell understands, empty for none."""
    if not command or command[0].rpartition("/")[2] in _SHELLS:
        return ""
    return next(filter(_OPERATOR.fullmatch, command), "")


def _written(word: str) -> str:
    """Return a word as a shell reads it: operators as they are, others quoted."""
    return word if _OPERATOR.fullmatch(word) else shlex.quote(word)
