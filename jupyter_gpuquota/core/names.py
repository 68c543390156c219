"""Names of sessions: each stands for one of its project, and is told to that project only."""

from __future__ import annotations

from collections import Counter
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


def mention(sessions: Iterable[Session], project: str) -> str:
    """Return words for sessions that whoever sees a project may read: `exp-1, a session of b`.

    Who sees a project need not see another: of another's sessions only the project is named.
    """
    found = tuple(sessions)
    own = [s.spec.name for s in found if s.spec.project == project]
    others = Counter(s.spec.project for s in found if s.spec.project != project)
    return ", ".join([*own, *(_counted(name, count) for name, count in others.items())])


def _counted(project: str, count: int) -> str:
    return f"a session of {project}" if count == 1 else f"{count} sessions of {project}"
