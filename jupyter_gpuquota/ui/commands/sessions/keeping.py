"""What a session loses when it restarts, and variables that are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ....client import Client
from ....client.snapshots.variables import write
from ....client.variables import pickles
from ....environ import SESSION
from ....errors import FieldError, GpuQuotaError, WrongState, refuse
from ....kernels.session_server import KernelSession, SessionServer
from ....model.sessions import Session
from ...console import Console
from ..snapshots.variables import namespace, notebook_of


def losses(client: Client, session: Session) -> list[str]:
    """Return what is lost when a running session restarts, as lines; nothing if unknown."""
    kernels: list[KernelSession] = []
    with suppress(GpuQuotaError):  # not the caller's own, or its server does not answer
        server = SessionServer.find(client.context, session.id)
        kernels = [each for each in server.sessions() if each.kernel]
    if not kernels:
        return []
    paths = ", ".join(each.path for each in kernels)
    return [f"{session.spec.name} restarts. The memory of its kernels is lost: {paths}."]


@contextmanager
def kept(
    client: Client, session: Session, names: Sequence[str], notebook: str, console: Console
) -> Iterator[dict[str, Any]]:
    """Yield the fields of a resize that keep variables; what is said of them is shown.

    Those of the kernel that runs this are written here, and removed again if the block fails: it
    is busy for everybody else. Raises InvalidFields, WrongState, and the block is not entered.
    """
    said, own = f"Kept: {', '.join(names)}.", namespace()
    if not names:
        yield {}
    elif own is None or notebook or os.environ.get(SESSION) != session.id:
        yield {"keep": names, "notebook": notebook_of(client, session, notebook)}
        console.note(said)
    else:
        _check_folder(client, session)
        path = pickles.kept_file(session.spec.folder)
        try:
            problems = write(own, names, path)
            refuse(FieldError("keep", f"{each}: {problems[each]}") for each in problems)
            console.note(said)  # before: the kernel that says it may end with the resize
            yield {}
        except GpuQuotaError:
            pickles.forget(path)
            raise


def _check_folder(client: Client, session: Session) -> None:
    """Raise WrongState if the folder of a session in a pod does not outlive it."""
    kept = any(mount.keeps(session.spec.folder) for mount in session.spec.mounts)
    if not kept and not client.context.local_files():
        raise WrongState(
            f"The folder of {session.spec.name} is not on a volume: it would be lost, too.",
            hint="Launch the session with a volume at its folder.",
        )
