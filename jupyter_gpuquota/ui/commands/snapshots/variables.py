"""The variables of a notebook, by their names."""

from __future__ import annotations

import sys
from typing import Any

from ....errors import FieldError, refused


def variables_of(names: str) -> dict[str, Any]:
    """Return the named variables of the notebook in which the command runs."""
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        return {}
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        text = "Variables are those of a notebook: use %gpu snapshot there."
        raise refused(FieldError("variables", text))
    missing = [name for name in wanted if name not in shell.user_ns]
    if missing:
        raise refused(FieldError("variables", f"There is no {', '.join(missing)} here."))
    return {name: shell.user_ns[name] for name in wanted}
