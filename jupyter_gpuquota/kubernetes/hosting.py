"""What a controller without a team's rights can do."""

from __future__ import annotations

from dataclasses import replace

from ..control.config import GpuQuota
from ..ports.backend import Backend

OWN = (
    "You use your own credentials: only your own sessions are managed, without idle policy and "
    "team history."
)
TEAM = (
    "A controller with your own credentials knows your own sessions only; this needs one for the "
    "team."
)
ADMINS = (
    "GpuQuota.admins has no effect on a cluster: bind the ClusterRole jupyter-gpuquota-admin to "
    "administrators."
)


def notices(control: GpuQuota) -> tuple[str, ...]:
    """Return warnings about how the controller is hosted and configured."""
    own = OWN if control.hosting == "unix" else ""
    return own, ADMINS if control.admins else ""


def for_one_person(backend: Backend) -> Backend:
    """Return a backend without what needs a controller that always runs and acts for everybody.

    Several controllers of this kind may manage sessions of one namespace, each those of its own
    user: none of them may decide about others, and none sees all that happens.
    """
    return replace(backend, administration=None, lakes=None, policing=None, history=None, hint=TEAM)
