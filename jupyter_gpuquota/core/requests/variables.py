"""Check the environment variables of a request."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..fields import FieldReader

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_OURS = re.compile(
    r"CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|CUDA_MPS_\w+|GPUQUOTA_\w+|JUPYTER_TOKEN"
)
_OF_CONTAINERS = re.compile(r"NVIDIA_VISIBLE_DEVICES|JUPYTER_(CONFIG_PATH|NO_CONFIG)")
"""What grants GPUs to a container, and what the session's Jupyter Server is configured by."""


def check_variables(
    field: str, names: Iterable[str], reader: FieldReader, *, container: bool
) -> None:
    """Check the names of variables; `container`: also those that are special in containers."""
    for name in names:
        if not _NAME.fullmatch(name):
            reader.wrong(f"{field}.{name}", "env.name")
        elif _OURS.fullmatch(name) or (container and _OF_CONTAINERS.fullmatch(name)):
            reader.wrong(f"{field}.{name}", "env.reserved", name=name)
