"""The end of a session's log, in its Secret: the log itself goes with the pod.

A log may hold secrets, and who may read this one has the session's token, too.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import zlib

import msgspec

from ...model.sessions import Session
from ...model.struct import Model
from ..api import Api, Fault
from ..labels import SESSION, object_name
from ..resources import SECRETS

LINES, BYTES = 2000, 64 * 1024
"""At most this much of a log is kept."""

_KEY = "log"
_MOST = 2**20
"""Most bytes of a kept log that are read: whoever may change the Secret may have replaced it."""
_GZIP = 16 + zlib.MAX_WBITS
_NOT_FOUND = 404


class KeptLog(Model, frozen=True, kw_only=True):
    """The end of the log of one run; `cut` if it is not all of it."""

    run: int
    text: str
    cut: bool = False


class _Meta(msgspec.Struct, frozen=True):
    labels: dict[str, str] = {}


class _Secret(msgspec.Struct, frozen=True):
    metadata: _Meta = _Meta()
    data: dict[str, str] = {}


async def write(api: Api, session: Session, log: KeptLog) -> None:
    """Keep a log. Raises Fault."""
    packed = base64.b64encode(gzip.compress(msgspec.json.encode(log))).decode()
    body = {"data": {_KEY: packed}}
    await api.patch(SECRETS, session.spec.project, object_name(session), body)


async def read(api: Api, session: Session) -> KeptLog | None:
    """Return what is kept of the log of a session's last run, None for nothing. Raises Fault."""
    try:
        body = await api.read(SECRETS.path(session.spec.project, object_name(session)))
        secret = msgspec.json.decode(body, type=_Secret)
        packed = base64.b64decode(secret.data[_KEY], validate=True)
        log = msgspec.json.decode(zlib.decompressobj(_GZIP).decompress(packed, _MOST), type=KeptLog)
    except Fault as fault:
        if fault.status != _NOT_FOUND:
            raise
        return None
    except (KeyError, binascii.Error, zlib.error, msgspec.MsgspecError):
        return None  # nothing is kept, or something else
    is_ours = secret.metadata.labels.get(SESSION) == session.id and log.run == session.run
    return log if is_ours else None
