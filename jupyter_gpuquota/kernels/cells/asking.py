"""The kernels of a session, asked for their variables from outside."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from ...errors import FieldError, Unavailable, WrongState, refused
from ..attach import AttachedKernel
from ..channels.port import ChannelsLost
from ..session_server import KernelSession, SessionServer
from .notebook import Notebook
from .running import CellKernel
from .talk import KernelTalk

_BUSY, _PAUSE = 10.0, 0.2
"""Seconds to wait for a kernel that is busy: its server hears late of the end of a cell."""


def choose(kernels: Sequence[KernelSession], own: str, wanted: str, session: str) -> KernelSession:
    """Return the kernel that is meant: of a named notebook, of this one, or the only one.

    `own` is the path of this notebook's kernel there. Raises InvalidFields, and WrongState for a
    session without a kernel.
    """
    alive = [each for each in kernels if each.kernel and each.kernel.execution_state != "dead"]
    if not alive:
        raise WrongState(f"{session} has no kernel with variables.", hint="Run a cell there first.")
    named = [each for each in alive if wanted and wanted in (each.path, each.name)]
    mine = [each for each in alive if each.path == own and not wanted]
    for found in (named, mine, alive if not wanted else []):
        if len(found) == 1:
            return found[0]
    paths = ", ".join(each.path for each in alive)
    text = f"{session} has these notebooks with a kernel: {paths}."
    raise refused(FieldError("notebook", text, "Name one with --notebook."))


def kernel_of(
    server: SessionServer, notebook: Notebook, folder: str, wanted: str, session: str
) -> tuple[AttachedKernel, KernelSession]:
    """Return the kernel that is meant, and what runs in it. Raises WrongState for a busy one."""
    own = notebook.path_in(folder if server.endpoint.runtime else "")
    deadline = time.monotonic() + _BUSY
    while True:
        chosen = choose(server.sessions(), own, wanted, session)
        if chosen.kernel and chosen.kernel.execution_state != "busy":
            return AttachedKernel(server, chosen.kernel.id), chosen
        if time.monotonic() > deadline:
            raise WrongState(
                f"The kernel of {chosen.path} is busy.", hint="Interrupt it, or wait for its cell."
            )
        time.sleep(_PAUSE)


@contextmanager
def talking(kernel: AttachedKernel) -> Iterator[KernelTalk]:
    """Talk to a kernel about its variables. Raises Unavailable, Unsupported."""
    try:
        with closing(CellKernel(kernel, kernel.channels())) as there:
            yield KernelTalk(there)
    except ChannelsLost:
        raise Unavailable(
            "The kernel has ended, or does not answer.", hint="See the session's log."
        ) from None
