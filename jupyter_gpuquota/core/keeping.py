"""Whether variables of kernels outlast a restart of their session, in its folder."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import FieldError, refuse, refused
from ..model.sessions import Session


def check(session: Session, *, local_files: bool) -> None:
    """Raise InvalidFields if a session's folder keeps nothing."""
    spec = session.spec
    if not local_files and not any(mount.keeps(spec.folder) for mount in spec.mounts):
        text = f"The folder of {spec.name} is not on a volume: variables would be lost with it."
        raise refused(FieldError("keep", text, "Launch the session with a volume at its folder."))


def check_written(problems: Mapping[str, str]) -> None:
    """Raise InvalidFields with the variables that could not be written, and why."""
    hint = "Leave it out, or write a file of it."
    refuse(
        FieldError("keep", f"{name}: {why.rstrip('.')}.", hint) for name, why in problems.items()
    )
