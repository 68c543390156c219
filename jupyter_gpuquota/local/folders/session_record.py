"""A session as stored in the state file and in its folder."""

from __future__ import annotations

import msgspec

from ...model.sessions import Session


def read_session(data: bytes) -> Session:
    """Decode a stored session. Raises msgspec.DecodeError.

    An earlier format stored the run beside the session, and its revision as a number.
    """
    body = msgspec.json.decode(data)
    if isinstance(body, dict) and isinstance(body.get("session"), dict):
        body = {**body["session"], "run": body.get("run", 0)}
    if isinstance(body, dict):
        body = {**body, "revision": str(body.get("revision", ""))}
    return msgspec.convert(body, Session)
