"""Whether variables of kernels outlast a restart of their session, in its folder."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import FieldError, refuse, refused
from ..model.rightsizing import KeepRequest
from ..model.sessions import Session


def problem(session: Session, *, local_files: bool) -> str:
    """Return why a session's folder keeps nothing, empty if it does."""
    spec = session.spec
    if local_files or any(mount.keeps(spec.folder) for mount in spec.mounts):
        return ""
    return f"The folder of {spec.name} is not on a volume: variables would be lost with it."


def check(session: Session, wanted: Sequence[KeepRequest], *, local_files: bool) -> None:
    """Raise InvalidFields if a session's folder keeps nothing, or notebooks are named twice."""
    if lost := problem(session, local_files=local_files):
        hint = "Launch the session with a volume at its folder."
        raise refused(FieldError("keep", lost, hint))
    paths = [each.path for each in wanted]
    refuse(
        FieldError(f"keep[{number}]", f"{path} is named twice.")
        for number, path in enumerate(paths)
        if path in paths[:number]
    )
