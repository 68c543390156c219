"""Refuse to serve anything that is not authenticated and authorised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jupyter_server.auth.decorator import authorized, ws_authenticated
from tornado import web

_ASKS_WHO = (web.authenticated, ws_authenticated)
_OPEN = "OPTIONS"
"""Jupyter answers this for every handler: it only says what a browser may ask."""


def check_guards(handlers: Iterable[type[web.RequestHandler]]) -> None:
    """Raise RuntimeError that names every verb which anyone could call.

    A verb must be decorated with `authenticated`, and below it with `authorized`: in the other
    order the right is asked for before anyone knows whose.
    """
    bare = [f"{handler.__name__}.{verb}" for handler in handlers for verb in _unguarded(handler)]
    if bare:
        raise RuntimeError(f"Not authenticated and authorised: {', '.join(bare)}.")


def _unguarded(handler: type[web.RequestHandler]) -> Iterator[str]:
    for method in handler.SUPPORTED_METHODS:
        verb = getattr(handler, method.lower())
        if method == _OPEN or verb is web.RequestHandler._unimplemented_method:  # noqa: SLF001
            continue
        inner = getattr(verb, "__wrapped__", None)
        if not (any(_made_by(verb, maker) for maker in _ASKS_WHO) and _made_by(inner, authorized)):
            yield method.lower()


def _made_by(function: Any, decorator: Any) -> bool:
    """Tell whether a function is what a decorator returns."""
    code = getattr(function, "__code__", None)
    return (
        code is not None
        and hasattr(function, "__wrapped__")
        and code.co_filename == decorator.__code__.co_filename
        and code.co_qualname.startswith(f"{decorator.__name__}.<locals>.")
    )
