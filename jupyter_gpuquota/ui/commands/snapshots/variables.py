"""The variables of a notebook, by their names."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any

from ....errors import FieldError, refused


def namespace() -> dict[str, Any] | None:
    """Return the variables of the notebook in which the command runs, None outside of one."""
    shell = _shell()
    return shell.user_ns if shell else None


def hidden() -> Collection[str]:
    """Return the names in it that are IPython's own."""
    shell = _shell()
    return shell.user_ns_hidden if shell else ()


def _shell() -> Any:
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def names_of(text: str) -> list[str]:
    """Return the names in a list with commas."""
    return [name for name in map(str.strip, text.split(",")) if name]


def variables_of(wanted: list[str]) -> dict[str, Any]:
    """Return the named variables of the notebook in which the command runs."""
    own = namespace() or {}
    missing = [name for name in wanted if name not in own]
    if missing:
        raise refused(FieldError("variables", f"There is no {', '.join(missing)} here."))
    return {name: own[name] for name in wanted}
