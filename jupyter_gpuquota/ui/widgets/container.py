"""The part of the launch form for the options of a container."""

from __future__ import annotations

from typing import Any

from ipywidgets import Checkbox, Text, Textarea

from ...client.sessions import Wishes
from ...errors import FieldError

_SIZE: dict[str, Any] = {"style": {"description_width": "9em"}, "layout": {"width": "32em"}}
_TEXTS = {
    "cpu": ("CPUs", "2 or 500m"),
    "cpu_limit": ("CPU limit", ""),
    "memory": ("Memory", "8Gi"),
    "memory_limit": ("Memory limit", ""),
    "pull_policy": ("Pull policy", "Always, IfNotPresent or Never"),
    "service_account": ("Service account", ""),
    "run_as": ("Run as", "USER[:GROUP]"),
    "node_type": ("Node group", ""),
}
_LISTS = {
    "volumes": ("Volumes", "CLAIM:/path[:ro]"),
    "env": ("Variables", "NAME=value"),
    "secret_env": ("From Secrets", "NAME=SECRET/KEY"),
    "tolerations": ("Tolerations", "KEY[=VALUE][:EFFECT]"),
    "pull_secrets": ("Pull secrets", "SECRET"),
}
_PAIRS = ("env", "secret_env")


def make_fields() -> dict[str, Any]:
    """Return the fields by the names of a request's; those of lists take one entry per line."""
    texts = {
        name: Text(description=label, placeholder=hint, continuous_update=False, **_SIZE)
        for name, (label, hint) in _TEXTS.items()
    }
    lists = {
        name: Textarea(
            description=label, placeholder=hint, rows=1, continuous_update=False, **_SIZE
        )
        for name, (label, hint) in _LISTS.items()
    }
    large = Checkbox(description="Large shared memory (/dev/shm)", **_SIZE)
    return {**texts, "large_shm": large, **lists}


def read(fields: dict[str, Any], problems: list[FieldError]) -> Wishes:
    """Return what was entered; the rest is left out."""
    found: Wishes = {}
    for name, field in fields.items():
        value: Any = field.value
        if name in _LISTS:
            value = [line.strip() for line in value.splitlines() if line.strip()]
        if name in _PAIRS:
            value = _pairs(name, value, problems)
        if value:
            found[name] = value  # type: ignore[literal-required]  # a name of a field above
    return found


def _pairs(name: str, lines: list[str], problems: list[FieldError]) -> dict[str, str]:
    found = {}
    for line in lines:
        variable, equals, value = line.partition("=")
        if not equals:
            hint = f"Write {_LISTS[name][1]}."
            problems.append(FieldError(f"{name}.{line}", "The value is missing.", hint))
        found[variable] = value
    return found
