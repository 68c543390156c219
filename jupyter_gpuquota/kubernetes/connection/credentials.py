"""Which credentials are used: those of a kubeconfig, or of the pod's service account."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import Unavailable

IN_CLUSTER = "KUBERNETES_SERVICE_HOST"
"""In the environment of every pod."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Where credentials come from.

    `kubeconfig` is a path, or several as in `KUBECONFIG`; empty means the service account.
    `context` is empty for the current one.
    """

    kubeconfig: str = ""
    context: str = ""


def find(
    kubeconfig: str,
    context: str,
    environ: Mapping[str, str],
    exists: Callable[[Path], bool] = Path.exists,
) -> Credentials:
    """Return the credentials to use: configured, else of `KUBECONFIG`, the home folder, the pod.

    This is the order of kubectl. Raises Unavailable if there are none.
    """
    home = str(Path(environ.get("HOME", "/")) / ".kube" / "config")
    given = kubeconfig or environ.get("KUBECONFIG", "")
    for paths in (given,) if given else (home,):
        if any(exists(Path(path).expanduser()) for path in paths.split(os.pathsep) if path):
            return Credentials(paths, context)
    if given:
        raise Unavailable(
            f"The kubeconfig {given} does not exist.",
            hint="Correct `c.KubernetesConfig.kubeconfig`, or the variable KUBECONFIG.",
        )
    if environ.get(IN_CLUSTER):
        return Credentials()
    raise Unavailable(
        "No Kubernetes cluster is configured.",
        hint="Create ~/.kube/config, or set `c.KubernetesConfig.kubeconfig`.",
    )
