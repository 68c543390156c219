"""Find the session that a user means: by id, by name, or by `project/name`."""

from __future__ import annotations

import re

from ..errors import Ambiguous, NotFound
from ..model.base import Page
from ..model.quota import Quota
from ..model.sessions import Session, SessionQuery
from .context import Context
from .steps import Operation, ask, look

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def pages(query: SessionQuery) -> Operation[Page[Session]]:
    """Return all pages of a list as one."""
    page: Page[Session] = yield from ask("sessions.list", query=query)
    items = page.items
    while page.next:
        following = SessionQuery(
            project=query.project,
            state=query.state,
            name=query.name,
            owner=query.owner,
            cursor=page.next,
        )
        page = yield from ask("sessions.list", query=following)
        items += page.items
    return Page(items=items, total=page.total, revision=page.revision)


def find(context: Context, name: str, project: str = "") -> Operation[Session]:
    """Return the session with an id, or else with a name.

    A name is looked for in `project` if one is given, else in the default project, else in all.
    Raises NotFound, Ambiguous.
    """
    said = name
    if name.count("/") == 1 and not project:
        project, _, name = name.partition("/")
    elif not project and _ID.fullmatch(name):
        try:
            session: Session = yield from ask("sessions.get", name)
        except NotFound:
            pass  # no id: then it is a name
        else:
            return session
    found = (yield from pages(SessionQuery(name=name, project=project))).items if name else ()
    if len(found) > 1:
        default = yield from look(context.project)
        found = tuple(s for s in found if s.spec.project == default) or found
    if len(found) == 1:
        return found[0]
    if not found:
        if said != name and not (yield from _is_project(project)):
            name, project = said, ""
        raise (yield from _not_found(name, project))
    known = ", ".join(f"{s.spec.project}/{s.spec.name}" for s in found)
    raise Ambiguous(
        f"{len(found)} sessions are named {name}: {known}.",
        hint="Name it with its project, as they are written here.",
    )


def _is_project(name: str) -> Operation[bool]:
    quota: Quota = yield from ask("quota.get")
    return any(project.name == name for project in quota.projects)


def _not_found(name: str, project: str) -> Operation[NotFound]:
    from difflib import get_close_matches  # noqa: PLC0415 (keeps the import light)

    every = (yield from pages(SessionQuery(project=project))).items
    names = sorted({session.spec.name for session in every})
    close = get_close_matches(name, names, n=3)
    where = f" in {project}" if project else ""
    if close:
        hint = f"Did you mean {' or '.join(close)}?"
    else:
        hint = f"There are: {', '.join(names[:10])}." if names else "There are no sessions yet."
    return NotFound(f"There is no session {name!r}{where}.", hint=hint)
