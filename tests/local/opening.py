"""Open the local backend with settings of both classes in one mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from traitlets.config import Configurable

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.local.backend import open_local
from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.ports.backend import Backend


def open_backend(settings: dict[str, Any], **others: Any) -> Backend:
    """Open the backend of the folder `home`; `others` are what `open_local` takes besides."""
    named = dict(settings)
    home = Path(named.pop("home"))
    shared, own = (kind(**_taken(named, kind)) for kind in (GpuQuota, LocalConfig))
    assert not named, f"there are no such settings: {sorted(named)}"
    return open_local(shared, own, home, **others)


def _taken(named: dict[str, Any], kind: type[Configurable]) -> dict[str, Any]:
    """Take those settings that a class has."""
    return {name: named.pop(name) for name in kind.class_trait_names(config=True) if name in named}
