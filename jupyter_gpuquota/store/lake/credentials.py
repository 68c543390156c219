"""Credentials of lakes: from files of `KEY=VALUE` lines, and from the profiles of the AWS tools."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ... import accounts
from ...errors import NotAllowed

Provider = Callable[[], dict[str, Any]]
"""Returns the credentials of this moment, and when they expire."""

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_HELD = timedelta(minutes=15)
_OTHERS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
)
"""Variables that the client of object stores understands itself, and that come before profiles."""


def read(path: Path) -> dict[str, str]:
    """Return the variables in a file of `KEY=VALUE` lines; empty lines and `#` are comments.

    :raises NotAllowed: it cannot be read, or a line is something else. No value is in the error.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise NotAllowed(
            f"The credentials in {path} cannot be read: {why}.",
            hint="Check the file and its permissions.",
        ) from None
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = _LINE.fullmatch(line.strip())
        if not parts:
            raise NotAllowed(
                f"Line {number} of the credentials in {path} is not KEY=VALUE.",
                hint="Write one variable a line, such as AWS_REGION=eu-west-1.",
            )
        found[parts[1]] = _unquoted(parts[2])
    return found


def aws_profile(variables: Mapping[str, str]) -> tuple[Provider, dict[str, str]] | None:
    """Return what provides the credentials of an AWS profile, and its region and endpoint.

    None if the variables name other credentials, or there are no profiles.

    :raises NotAllowed: there are profiles, but botocore, which reads them, is not installed, or the
        chosen one has no credentials.
    """
    if any(variables.get(name) for name in _OTHERS) or not _has_profiles(variables):
        return None
    try:
        import botocore.session  # noqa: PLC0415 (an optional dependency)
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415
    except ImportError as error:
        raise NotAllowed(
            "The credentials are in a profile of the AWS tools, which needs botocore.",
            hint="Install botocore, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        ) from error
    session = botocore.session.Session(profile=variables.get("AWS_PROFILE") or None)
    try:
        credentials = session.get_credentials()
        profile = session.get_scoped_config()
    except BotoCoreError as error:
        raise NotAllowed(f"The profile of the AWS tools cannot be used: {error}.") from error
    if credentials is None:
        raise NotAllowed(
            "The profile of the AWS tools has no credentials.",
            hint="Log in with them, or set AWS_PROFILE to another profile.",
        )
    names = {"region": "region", "endpoint_url": "endpoint"}
    config = {ours: profile[theirs] for theirs, ours in names.items() if profile.get(theirs)}
    return _provider(credentials), config


def _provider(credentials: Any) -> Provider:
    def provide() -> dict[str, Any]:
        frozen = credentials.get_frozen_credentials()
        return {
            "access_key_id": frozen.access_key,
            "secret_access_key": frozen.secret_key,
            "token": frozen.token,
            # Asked again then; those that expire earlier are renewed when they are asked for.
            "expires_at": datetime.now(UTC) + _HELD,
        }

    return provide


def _has_profiles(variables: Mapping[str, str]) -> bool:
    if variables.get("AWS_PROFILE"):
        return True
    home = Path(variables.get("HOME") or accounts.home() or "/") / ".aws"
    files = (
        variables.get("AWS_SHARED_CREDENTIALS_FILE") or home / "credentials",
        variables.get("AWS_CONFIG_FILE") or home / "config",
    )
    return any(os.path.exists(file) for file in files)  # noqa: PTH110 (text or path)


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value
