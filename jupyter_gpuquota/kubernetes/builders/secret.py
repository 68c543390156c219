"""The Secret of a session: its tokens, and the configuration of its Jupyter Server.

Images need not have this package, so the configuration is mounted from here.
"""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ...control.session_server.settings import SERVER_CONFIG, server_config
from ...core.access import FOR_OWNER
from ...model.sessions import Session
from ..names import CA_KEY, OWNER_TOKEN_KEY, TOKEN_KEY
from ..resources import SECRETS
from .defaults import PodDefaults
from .metadata import manifest

_PROGRAM, _VALUES = "jupyter_server_config.py", "jupyter_server_config.json"
CONFIG_FILES = (_PROGRAM, _VALUES)
"""The keys that are files of the configuration."""


def secret(session: Session, token: str, defaults: PodDefaults) -> dict[str, Any]:
    """Return the Secret of a session."""
    values = {TOKEN_KEY: token.encode()}
    if session.spec.serves_jupyter:
        config = msgspec.json.format(msgspec.json.encode(server_config(session, token)))
        values |= {_PROGRAM: _program(), _VALUES: config}
    if defaults.controller_url:
        values[OWNER_TOKEN_KEY] = f"{FOR_OWNER}{token}".encode()
    if defaults.controller_ca:
        values[CA_KEY] = defaults.controller_ca.encode()
    data = {name: base64.b64encode(value).decode() for name, value in values.items()}
    return manifest(SECRETS, session, type="Opaque", data=data)


@cache
def _program() -> bytes:
    return Path(SERVER_CONFIG, _PROGRAM).read_bytes()
