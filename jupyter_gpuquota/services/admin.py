"""Know who may change settings, and who may launch in which."""

from __future__ import annotations

from ..core.members import launchable
from ..errors import NotAllowed, Unsupported
from ..model.quota import Project
from ..ports.backend import Administration, Backend
from .call import Call


def is_admin(backend: Backend, user: str) -> bool:
    """Tell whether a user may change projects."""
    return isinstance(backend, Administration) and backend.is_admin(user)


def administration(backend: Backend, call: Call) -> Administration:
    """Return the backend as an admin's. Raises Unsupported, NotAllowed."""
    if not isinstance(backend, Administration):
        raise Unsupported(f"Projects of the {backend.name} backend cannot be changed here.")
    if not backend.is_admin(call.user):
        raise NotAllowed(
            f"{call.user} is no admin of this backend.",
            hint="Ask an admin; who that is stands in its configuration.",
        )
    return backend


def mine(backend: Backend, user: str) -> tuple[Project, ...]:
    """Return the projects that a user may launch in."""
    return launchable(backend.projects(), user, admin=is_admin(backend, user))


def view_of(backend: Backend, user: str) -> str:
    """Name what makes a user's view of the quota different from another's."""
    names = " ".join(project.name for project in mine(backend, user))
    return f"{is_admin(backend, user)} {names}"
