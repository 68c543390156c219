"""GPU sessions on a fraction of a device, with team quotas, for JupyterLab.

Importing this package is cheap on purpose: it happens inside users' kernels and in every Jupyter
Server that looks for extensions. Whatever is heavier is imported when it is first asked for, and
by name, so that the package itself, below all layers, depends on none of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    from jupyter_gpuquota._version import __version__
except ModuleNotFoundError:  # a source tree that was never built or installed
    __version__ = "0.0.0.dev0"

if TYPE_CHECKING:
    from jupyter_gpuquota.client import Client
    from jupyter_gpuquota.ui.widgets import (
        DatasetsWidget,
        LaunchWidget,
        QuotaWidget,
        SessionsWidget,
        VolumesWidget,
    )


def snapshot(
    note: str = "",
    *,
    tag: str = "",
    metrics: Mapping[str, float] | None = None,
    artifacts: Sequence[str] = (),
    variables: Mapping[str, Any] | None = None,
    volumes: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    wait: bool = False,
) -> str:
    """Take a snapshot of the session in which this program runs, and return its id.

    `metrics` are numbers to record, `artifacts` patterns of files in the session's folder,
    `variables` objects to store by name, as far as they can be pickled, `volumes` the names of
    those to copy, by default all that the session may write, `exclude` patterns, as in
    `.gitignore`, of what is left out. Without `wait` the program goes on while its files are
    stored; the id is then that of the job, which every command takes for the snapshot's. Raises
    WrongState outside of sessions.
    """
    made = (
        import_module("jupyter_gpuquota.client")
        .Client()
        .snapshots.from_code(
            note,
            tags=(tag,) if tag else (),
            metrics=metrics,
            artifacts=artifacts,
            variables=variables,
            volumes=volumes,
            exclude=exclude,
            wait=wait,
        )
    )
    return str(made.id)


def variables() -> dict[str, Any]:
    """Return the variables that a restore with `--variables` has brought into this session.

    Reading them runs their code; of those that cannot be read here, a warning says why. Raises
    NotFound, NotAllowed, WrongState.
    """
    found: dict[str, Any]
    found, problems = import_module("jupyter_gpuquota.client.snapshots.variables").load()
    for name, why in problems.items():
        warnings.warn(f"{name} cannot be read here: {why}.", stacklevel=2)
    return found


__all__ = [
    "Client",
    "DatasetsWidget",
    "LaunchWidget",
    "QuotaWidget",
    "SessionsWidget",
    "VolumesWidget",
    "__version__",
    "snapshot",
    "variables",
]

_LAZY = {
    "Client": "jupyter_gpuquota.client",
    "DatasetsWidget": "jupyter_gpuquota.ui.widgets",
    "LaunchWidget": "jupyter_gpuquota.ui.widgets",
    "QuotaWidget": "jupyter_gpuquota.ui.widgets",
    "SessionsWidget": "jupyter_gpuquota.ui.widgets",
    "VolumesWidget": "jupyter_gpuquota.ui.widgets",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _LAZY:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_LAZY[name]), name)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Return where the built front end is, for `jupyter-builder develop`."""
    return [{"src": "labextension", "dest": "jupyter-gpuquota"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    """Return the application that this package adds to Jupyter Server."""
    app = import_module("jupyter_gpuquota.server.app").GpuQuotaApp
    return [{"module": "jupyter_gpuquota", "app": app}]


def load_ipython_extension(ipython: Any) -> None:
    """Register the `%gpu` magics (called by `%load_ext jupyter_gpuquota`)."""
    import_module("jupyter_gpuquota.ui.magics").load(ipython)
