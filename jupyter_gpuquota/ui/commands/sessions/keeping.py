"""What a session loses when it restarts, and variables that are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....client import Client
from ....client.variables import far, near
from ....client.variables.pickles import overview
from ....errors import FieldError, GpuQuotaError, WrongState, refuse
from ....kernels.cells.notebook import this_notebook
from ....kernels.session_server import KernelSession, SessionServer
from ....model.sessions import Session
from ....variables import SESSION
from ..snapshots.variables import hidden, namespace

if TYPE_CHECKING:
    from ....kernels.cells.talk import KernelTalk

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Kept:
    """Variables of a session's kernel in a file of its folder.

    `path` is that of the notebook whose kernel it was; empty for the kernel that runs this.
    """

    names: tuple[str, ...]
    size: int
    path: str = ""
    name: str = ""


def losses(client: Client, session: Session) -> list[str]:
    """Return what is lost when a running session restarts, as lines; nothing if unknown."""
    kernels: list[KernelSession] = []
    with suppress(GpuQuotaError):  # not the caller's own, or its server does not answer
        server = SessionServer.find(client.context, session.id)
        kernels = [each for each in server.sessions() if each.kernel]
    if not kernels:
        return []
    paths = ", ".join(each.path for each in kernels)
    lines = [f"{session.spec.name} restarts. The memory of its kernels is lost: {paths}."]
    if inside(session) and (own := namespace()):
        lines += _largest(overview(own, hidden()))
    return lines


def inside(session: Session) -> bool:
    """Return whether this process runs in a session."""
    return os.environ.get(SESSION) == session.id


def keep(client: Client, session: Session, names: Sequence[str], notebook: str) -> Kept:
    """Write variables of a session's kernel to its folder; it must be able to keep them all.

    Raises InvalidFields, WrongState, Unavailable.
    """
    folder = session.spec.folder
    _check_folder(client, session)
    if inside(session) and not notebook and (own := namespace()) is not None:
        answer = far.keep(own, list(names), far.kept_file(folder))
        _refuse(answer)
        return Kept(tuple(names), answer["size"])
    from ....kernels.cells.asking import kernel_of, talking  # noqa: PLC0415 (loads zmq)

    server = SessionServer.find(client.context, session.id)
    kernel, found = kernel_of(server, this_notebook(), folder, notebook, session.spec.name)
    with talking(kernel) as talk:
        answer = near.ask(talk, do="keep", names=list(names), folder=folder)
    _refuse(answer)
    return Kept(tuple(names), answer["size"], found.path, found.name)


def forget(session: Session, kept: Kept, client: Client) -> None:
    """Remove the file of variables again, as the session goes on."""
    if not kept.path:
        os.unlink(far.kept_file(session.spec.folder))  # noqa: PTH108 (it is text)
        return
    with _talking(client, session, kept) as talk:
        near.ask(talk, do="forget", folder=session.spec.folder)


def bring_back(client: Client, session: Session, kept: Kept) -> None:
    """Start the notebook's kernel in a session that runs again, with its variables.

    Raises WrongState for those that are lost.
    """
    with _talking(client, session, kept) as talk:
        wanted = {"folder": session.spec.folder, "remove": True, "wanted": list(kept.names)}
        answer = near.ask(talk, do="take", **wanted)
    _refuse(answer)
    if lost := set(kept.names) - set(answer["names"]):
        raise WrongState(
            f"{', '.join(sorted(lost))} could not be kept: their file is gone.",
            hint="Mount a volume at the session's folder to keep it.",
        )


@contextmanager
def _talking(client: Client, session: Session, kept: Kept) -> Iterator[KernelTalk]:
    """Talk to the kernel of the notebook whose variables are kept."""
    from ....kernels.attach import attach  # noqa: PLC0415 (loads zmq)
    from ....kernels.cells.asking import talking  # noqa: PLC0415 (the same)

    server = SessionServer.find(client.context, session.id)
    with talking(attach(server, kept.path, name=kept.name)) as talk:
        yield talk


def _largest(variables: Sequence[tuple[str, int]]) -> Iterator[str]:
    if variables:
        shown = ", ".join(f"{name} {near.size_text(size)}" for name, size in variables[:_SHOWN])
        more = len(variables) - _SHOWN
        yield f"Of this kernel: {shown}" + (f" and {more} more." if more > 0 else ".")


def _check_folder(client: Client, session: Session) -> None:
    """Raise WrongState if the folder of a session in a pod does not outlive it."""
    kept = any(mount.keeps(session.spec.folder) for mount in session.spec.mounts)
    if kept or client.context.local_files():
        return
    raise WrongState(
        f"The folder of {session.spec.name} is not on a volume: it would be lost, too.",
        hint="Launch the session with a volume at its folder, or fetch variables by %%gpu --out.",
    )


def _refuse(answer: Mapping[str, Any]) -> None:
    hint = "Leave it out, or write a file of it."
    refuse(
        FieldError("keep", f"{name}: {why.rstrip('.')}.", hint)
        for name, why in answer.get("problems", {}).items()
    )
