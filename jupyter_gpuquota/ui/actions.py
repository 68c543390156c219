"""What each command does: one function a verb, from parsed words to a view."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from ..client import Client, addresses, preferences
from ..client import sessions as operations
from ..client.protocol import to_json
from ..client.sessions import Wishes
from ..errors import (
    FieldError,
    InvalidFields,
    InvalidRequest,
    NotAllowed,
    Unavailable,
    Unsupported,
    refused,
)
from ..model.base import Page
from ..model.sessions import ENDED, Progress, Session
from .browser import open_session
from .controllers import controller
from .figures import history, top
from .grammar import Args, help_text
from .grammar_submit import wishes
from .inside import bash, execute
from .policy import keep_alive, policy
from .projects import audit, project
from .resizing import resize
from .rules import groups, rules
from .screen import Screen, tell
from .verbs import NOTEBOOK_LINES
from .views.base import View
from .views.details import SessionView
from .views.environments import EnvironmentsView
from .views.nodes import NodesView
from .views.previews import PreviewView
from .views.quota import QuotaView
from .views.sessions import ChangedView, SessionsView, outcome
from .views.texts import LogView, TextView

Answer = View[Any]
Action = Callable[[Client, Args, Screen], Answer | None]


def run(client: Client, args: Args, screen: Screen) -> Answer | None:
    """Do what the words say; None where everything was shown already."""
    return ACTIONS[args.verb](client, args, screen)


def submit(client: Client, args: Args, screen: Screen) -> Answer:
    """Launch a session, and wait for it if that is asked; or only say what would happen."""
    name, asked, problems = wishes(args)
    try:
        if problems:
            raise _refusal(client, name, asked, problems)
        if args.dry_run:
            return PreviewView(client.sessions.preview(name, **asked))
        session = client.sessions.submit(name, **asked)
    except InvalidFields as error:
        raise _explain_project(error, args, client) from error
    if args.wait:
        session = _wait(client, session, screen)
    return SessionView(
        session, note=_next(session, screen), exit_code=int(session.state == "failed")
    )


def list_(client: Client, args: Args, screen: Screen) -> Answer:
    """List sessions."""
    page = client.run(
        operations.page(client.context, project=args.project, state=args.state, owner=args.user)
    )
    urls = client.run(addresses.urls(client.context, page.items)) if screen.shell else {}
    filtered = bool(args.project or args.state or args.user)
    return SessionsView(page, urls, filtered=filtered)


def describe(client: Client, args: Args, screen: Screen) -> Answer:
    """Show one session; whoever may only see that it is there is shown no more."""
    session = client.sessions.get(args.name, project=args.project)
    advice, policy = None, None
    if session.spec.share.wants_gpu:
        with suppress(NotAllowed):
            advice = client.sessions.advice(session.id)
    if "activity" in session.actions:
        with suppress(Unsupported):
            policy = client.policy.explain(session.id)
    return SessionView(session, size=advice.message if advice else "", policy=policy)


def logs(client: Client, args: Args, screen: Screen) -> Answer | None:
    """Show a log; follow it until it ends or the user interrupts."""
    usual = None if screen.shell or args.follow else NOTEBOOK_LINES
    tail = usual if args.tail is None else args.tail
    if not args.follow:
        reading = operations.log(client.context, args.name, project=args.project, tail=tail)
        return LogView(client.run(reading))
    following = operations.follow(client.context, args.name, project=args.project, tail=tail)
    try:
        for chunk in client.stream(following):
            screen.write(f"{to_json(chunk)}\n" if screen.shell and args.json else chunk.text)
    except KeyboardInterrupt:
        screen.note("")
    return None


def suspend(client: Client, args: Args, screen: Screen) -> Answer:
    """Suspend sessions."""
    return _change(client, args, screen, client.sessions.suspend)


def resume(client: Client, args: Args, screen: Screen) -> Answer:
    """Resume sessions."""
    return _change(client, args, screen, client.sessions.resume)


def stop(client: Client, args: Args, screen: Screen) -> Answer:
    """Stop sessions."""
    return _change(client, args, screen, client.sessions.stop)


def delete(client: Client, args: Args, screen: Screen) -> Answer:
    """Delete sessions."""
    for name in args.names:
        client.sessions.delete(name, project=args.project, stop=args.stop)
        if len(args.names) > 1:
            screen.note(f"{name} is deleted.")
    names = ", ".join(args.names)
    verb = "is" if len(args.names) == 1 else "are"
    return TextView({"deleted": names}, f"{names} {verb} deleted.")


def quota(client: Client, args: Args, screen: Screen) -> Answer:
    """Show projects."""
    return QuotaView(client.quota.get())


def nodes(client: Client, args: Args, screen: Screen) -> Answer:
    """Show GPUs."""
    return NodesView(client.nodes.list())


def environments(client: Client, args: Args, screen: Screen) -> Answer:
    """Show environments."""
    return EnvironmentsView(client.environments.list())


def simulate(client: Client, args: Args, screen: Screen) -> None:
    """Play a scenario; nothing is asked of a server."""
    from .simulate import play  # noqa: PLC0415 (loads the scheduler, which no other command needs)

    play(args.file, screen, as_json=screen.shell and args.json)


def config(client: Client, args: Args, screen: Screen) -> Answer:
    """Show or set the preferred project."""
    if args.unset and args.value:
        raise InvalidRequest("--unset takes no project.", hint="Leave one of the two out.")
    if args.unset:
        preferences.set_project("")
    elif args.value is not None:
        mine = client.quota.get().mine
        if args.value not in mine:
            hint = f"Yours are: {', '.join(mine)}."
            problem = FieldError("project", f"There is no project {args.value!r} for you.", hint)
            raise refused(problem)
        preferences.set_project(args.value)
    found = preferences.project()
    said = f"The preferred project is {found}." if found else "No project is preferred."
    return TextView({"project": found}, said)


def help_(client: Client, args: Args, screen: Screen) -> Answer:
    """Explain a command."""
    text = help_text(args.topic, terminal=screen.shell)
    return TextView({"help": text}, text.rstrip())


ACTIONS: dict[str, Action] = {
    "submit": submit,
    "list": list_,
    "describe": describe,
    "logs": logs,
    "exec": execute,
    "bash": bash,
    "open": open_session,
    "suspend": suspend,
    "resume": resume,
    "keep-alive": keep_alive,
    "resize": resize,
    "stop": stop,
    "delete": delete,
    "quota": quota,
    "top": top,
    "history": history,
    "nodes": nodes,
    "environments": environments,
    "project": project,
    "rules": rules,
    "groups": groups,
    "policy": policy,
    "audit": audit,
    "simulate": simulate,
    "controller": controller,
    "config": config,
    "help": help_,
}


def _change(
    client: Client, args: Args, screen: Screen, change: Callable[..., Session]
) -> ChangedView:
    changed = []
    for name in args.names:
        before = client.sessions.get(name, project=args.project)
        session = change(before.id)
        if args.wait:
            session = _wait(client, session, screen, old=before.progress)
        changed.append(session)
    page = Page(items=tuple(changed), total=len(changed), revision=changed[-1].revision)
    return ChangedView(page, {}, exit_code=int(any(s.state == "failed" for s in changed)))


def _wait(
    client: Client, session: Session, screen: Screen, *, old: Collection[Progress] = ()
) -> Session:
    """Return the session once it is on its way no more; interrupting leaves it alone."""
    latest = session
    try:
        for newer in tell(client.sessions.watch(session.id), screen, old=old):
            latest = newer
    except KeyboardInterrupt:
        screen.note(f"\n{outcome(latest)} It goes on by itself: `describe {session.spec.name}`.")
        raise
    return latest


def _next(session: Session, screen: Screen) -> str:
    gpu, name = "jupyter gpu" if screen.shell else "%gpu", session.spec.name
    if session.state == "running" and session.spec.serves_jupyter:
        return f"Open it with `{gpu} open {name}`."
    if session.state in ENDED:
        return f"Its log: `{gpu} logs {name}`."
    return f"See how it goes on with `{gpu} describe {name}`."


def _refusal(
    client: Client, name: str, asked: Wishes, problems: tuple[FieldError, ...]
) -> InvalidFields:
    """Return what is wrong with a request in our eyes, and in the server's if it answers."""
    found = {problem.field: problem for problem in problems}
    with suppress(Unavailable):  # what was found here is as wrong without a server
        for theirs in client.sessions.preview(name, **asked).problems:
            said = FieldError(theirs.field, theirs.message, theirs.hint)
            found.setdefault(theirs.field, said)
    return refused(*found.values())


def _explain_project(error: InvalidFields, args: Args, client: Client) -> InvalidFields:
    """Say where an unknown project comes from if the user has not just named it."""
    preferred = preferences.project()
    if args.project or not preferred or all(f.field != "project" for f in error.fields):
        return error
    hint = f"{preferred} is your preferred project: change it with `config project NAME`."
    return InvalidFields(error.message, hint=hint, fields=error.fields)
