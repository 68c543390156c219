"""Refs of lakeFS through its S3 gateway: `lakefs://REPOSITORY/REF/path`.

To the gateway, a repository is a bucket, and a branch, tag or commit the first part of a key
(https://docs.lakefs.io/latest/understand/architecture/). AWS_ENDPOINT_URL is its address.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote, urlsplit

from ...errors import FieldError, refused
from ..lake.connection import connect
from . import prefix
from .state import Format, State

_SCHEME = "lakefs"


def _matches(place: str) -> bool:
    return urlsplit(place).scheme == _SCHEME


def _read(place: str, variables: Mapping[str, str]) -> list[State]:
    parts = urlsplit(place)
    ref, _, path = parts.path.strip("/").partition("/")
    if parts.scheme != _SCHEME or not parts.netloc or not ref:
        raise refused(FieldError("source", "A ref of lakeFS is lakefs://REPOSITORY/REF/path."))
    if not {**os.environ, **variables}.get("AWS_ENDPOINT_URL"):
        raise refused(
            FieldError("source", "The address of lakeFS is not known.", "Set AWS_ENDPOINT_URL.")
        )
    where = "/".join(quote(each, safe="/") for each in (ref, path) if each)
    state = prefix.current(connect(f"s3://{parts.netloc}/{where}", variables), place)
    return [replace(state, source=place)]


FORMAT = Format(_SCHEME, _matches, _read)
