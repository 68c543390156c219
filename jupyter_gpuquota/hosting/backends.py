"""The installed backends: entry points of the group `jupyter_gpuquota.backends`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import Unsupported

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from typing import Any

GROUP = "jupyter_gpuquota.backends"


def installed() -> dict[str, EntryPoint]:
    """Return the entry point of each backend, by name."""
    from importlib.metadata import entry_points  # noqa: PLC0415 (keeps the import light)

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def find(name: str) -> EntryPoint:
    """Return a backend's entry point. Raises Unsupported with the installed backends."""
    found = installed()
    if name not in found:
        raise Unsupported(
            f"Backend {name!r} is not installed.", hint=f"Installed: {', '.join(sorted(found))}."
        )
    return found[name]


def load(name: str) -> Any:
    """Return what a backend's entry point names. Raises Unsupported."""
    return find(name).load()
