"""The client, the same in notebooks, scripts and the shell; it finds its server.

Importing this package loads nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .clients import Client

__all__ = ["Client"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.clients"), name)
