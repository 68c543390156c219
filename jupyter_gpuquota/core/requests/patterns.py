"""Names in a cluster, as the API server checks them.

See https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ and …/labels/.
"""

from __future__ import annotations

import re
from typing import get_args

from ...model.pods import Effect

_PART = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_DOMAIN = rf"{_PART}(?:\.{_PART})*"
_LABEL = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"

OBJECT = re.compile(rf"(?=.{{1,253}}\Z){_DOMAIN}", re.ASCII)
"""The name of an object, such as a Secret or a claim."""

SECRET_VALUE = re.compile(
    rf"((?=[^/]{{1,253}}/){_DOMAIN})/((?!\.\.?\Z)[-._a-zA-Z0-9]{{1,253}})", re.ASCII
)
"""`SECRET/KEY`."""

TOLERATION = re.compile(
    rf"((?:(?=[^/]{{1,253}}/){_DOMAIN}/)?{_LABEL})(?:=({_LABEL}))?"
    rf"(?::({'|'.join(get_args(Effect))}))?",
    re.ASCII,
)
"""`KEY[=VALUE][:EFFECT]`, as in `kubectl taint`."""

PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|\Z))[^/:\x00-\x1f\x7f]+)+")
"""An absolute path, without `.` and `..`."""

RUN_AS = re.compile(r"(\d{1,10})(?::(\d{1,10}))?", re.ASCII)
"""`USER[:GROUP]`, in numbers."""
