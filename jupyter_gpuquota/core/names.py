"""A name stands for one session of a project at a time."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import FieldError, NameTaken
from ..model.sessions import ENDED, Session, SessionSpec


def check_free(spec: SessionSpec, sessions: Iterable[Session]) -> None:
    """Raise NameTaken if a session of the project, ended ones included, has the name."""
    for session in sessions:
        if (session.spec.project, session.spec.name) == (spec.project, spec.name):
            verb = "Resume or delete it" if session.state in ENDED else "Use it"
            problem = FieldError("name", "The name is taken.", f"{verb}, or choose another.")
            raise NameTaken(
                f"{spec.project} has a session named {spec.name} already; it is {session.state}.",
                fields=(problem,),
            )
