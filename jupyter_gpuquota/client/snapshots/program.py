"""The program that this process runs, as another session can run it again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ...environ import NOTEBOOK


def program() -> tuple[str, ...]:
    """Return the command line of this program or of its notebook, empty if it has none."""
    notebook = os.environ.get(NOTEBOOK, "")
    if notebook.endswith(".ipynb"):
        return ("jupyter", "execute", "--inplace", notebook)
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if not file or "ipykernel" in sys.modules:
        return ()
    module = getattr(main, "__spec__", None)
    if module and module.name:
        return ("python", "-m", module.name.removesuffix(".__main__"), *sys.argv[1:])
    return ("python", str(Path(file).absolute()), *sys.argv[1:])
