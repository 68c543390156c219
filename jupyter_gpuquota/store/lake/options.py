"""How a lake is opened: who provides credentials, and how long its server may take."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from .credentials import aws_profile

_PREFIXES = {"s3": ("AWS_",), "gs": ("GOOGLE_",), "az": ("AZURE_",)}

_CONNECT = timedelta(seconds=10)
_SILENCE = timedelta(minutes=2)
"""How long a server may say nothing; it includes the time to send a part to it."""
_REQUEST = timedelta(minutes=10)
"""How long one request may take: a part of 64 MiB arrives by then over any usable network."""
_RETRIES = timedelta(minutes=2)
"""How long obstore repeats a request after 5xx answers and broken connections."""


def options_for(scheme: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """Return how obstore is to open a lake: its configuration, and who provides credentials."""
    found = {**os.environ, **variables}
    prefixes = _PREFIXES.get(scheme, ())
    config = {name.lower(): value for name, value in variables.items() if name.startswith(prefixes)}
    options: dict[str, Any] = {}
    profile = aws_profile(found) if scheme == "s3" else None
    if profile:
        options["credential_provider"], from_profile = profile
        known = {name.removeprefix("AWS_").removesuffix("_URL").lower() for name in found}
        config |= {name: each for name, each in from_profile.items() if name not in known}
    endpoints = (found.get("AWS_ENDPOINT_URL"), found.get("AWS_ENDPOINT"), config.get("endpoint"))
    if scheme == "s3" and any(each and each.startswith("http://") for each in endpoints):
        options["client_options"] = {"allow_http": True}
    return {**options, "config": config} if config else options


def limited(scheme: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with limits of time, where they have none."""
    if scheme == "file":
        return dict(options)
    client: dict[str, Any] = {
        "connect_timeout": _CONNECT,
        "read_timeout": _SILENCE,
        "timeout": _REQUEST,
    }
    if str(options.get("endpoint", "")).startswith("http://"):
        client["allow_http"] = True
    return {
        **options,
        "client_options": client | options.get("client_options", {}),
        "retry_config": {"retry_timeout": _RETRIES, **options.get("retry_config", {})},
    }
