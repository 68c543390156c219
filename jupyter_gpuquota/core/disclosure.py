"""What a caller sees of sessions, projects, nodes, quota and the policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from msgspec.structs import replace

from ..model.messages.build import joined, message
from ..model.messages.formats import sessions_arg
from ..model.nodes import DeviceUse, GpuProgram, NodeUse, SliceUse
from ..model.policy import Exemption, Policy
from ..model.previews import Preview
from ..model.quota import Project, ProjectUse, Quota
from ..model.reasons import Reason
from ..model.routes.route import Need
from ..model.sessions import ACTIONS, Action, Reclaim, Session, SessionSpec, State
from .access import Rights
from .actions import by_state
from .end_requests import impersonal
from .members import launchable
from .snapshots.rights import has_run, may_create

_NEEDS: Mapping[Action, Need] = {
    "open": "enter",
    "log": "log",
    "exec": "exec",
    "keep_alive": "manage",
    "suspend": "manage",
    "resume": "own",
    "resize": "own",
    "stop": "manage",
    "delete": "own",
    "activity": "inspect",
    "snapshot": "see",
}
_EVERYTHING: frozenset[Need] = frozenset({"enter", "log"})
"""With these, nothing of a session is hidden."""
_ABILITIES: Mapping[Action, str] = {
    "open": "ingress",
    "log": "logs",
    "exec": "exec",
    "keep_alive": "policing",
    "activity": "policing",
    "snapshot": "snapshots",
}
"""The capability of the backend that an action requires, where it is optional."""


def shown(
    session: Session, rights: Rights, capabilities: tuple[str, ...], *, extends: bool = True
) -> Session:
    """Return a session as a caller sees it, with the actions that the caller may take.

    `extends` is whether keeping it alive delays anything.
    """
    granted = rights.granted(session)
    offered = actions_for(
        session.state,
        granted,
        capabilities,
        opens=session.serves_pages and rights.owns(session),  # see Rights.check_same_origin
        stores=has_run(session) and may_create(session, rights),
        extends=extends,
    )
    if granted >= _EVERYTHING and session.reclaimed is None:
        return replace(session, actions=offered)
    if "inspect" not in granted:
        session = _outside(session)
    elif "log" not in granted:
        session = _without_log(session)
    path = session.path if "enter" in granted else ""
    reclaimed = _reclaim(session.reclaimed, rights)
    return replace(session, path=path, reclaimed=reclaimed, actions=offered)


def saving(session: Session, by: datetime) -> Session:
    """Return a session whose pages shall save by a time, for a snapshot."""
    return replace(session, saving=by)


@lru_cache(maxsize=1024)
def actions_for(
    state: State,
    granted: frozenset[Need],
    capabilities: tuple[str, ...],
    *,
    opens: bool,
    stores: bool,
    extends: bool,
) -> tuple[Action, ...]:
    """Return the actions that state, rights and backend allow, in the order of the vocabulary.

    `opens`, `stores` and `extends` are whether the session can be opened, stored by snapshots, and
    kept alive to any effect.
    A list of a thousand sessions has a few different answers.
    """
    return tuple(
        action
        for action in ACTIONS
        if action in by_state(state)
        and _NEEDS[action] in granted
        and _ABILITIES.get(action, "") in {"", *capabilities}
        and (opens or action != "open")
        and (stores or action != "snapshot")
        and (extends or action != "keep_alive")
    )


def seen(sessions: Iterable[Session], rights: Rights) -> list[Session]:
    """Return the sessions that a caller sees.

    Those of others are seen by project: lists are long, and have few of them.
    """
    others: dict[str, bool] = {}

    def sees(session: Session) -> bool:
        if rights.caller.session or rights.owns(session):
            return rights.may("see", session)
        project = session.spec.project
        if project not in others:
            others[project] = rights.may("see", session)
        return others[project]

    return [*filter(sees, sessions)]


def preview(found: Preview, sessions: Iterable[Session], rights: Rights) -> Preview:
    """Return a preview as a caller sees it: who would be preempted is named as far as allowed."""
    if not found.preempts:
        return found
    named = {session.id: session for session in sessions if session.id in found.preempts}
    victims = [named[each] for each in found.preempts if each in named]
    visible = [v for v in victims if rights.names(v.spec.project) or rights.owns(v)]
    others = Counter(each.spec.project for each in victims if each not in visible)
    who = sessions_arg([each.spec.name for each in visible], others)
    sentences = tuple(
        message(each.key, **{**each.args, "sessions": who})
        if each.key == "preview.preempts"
        else each
        for each in found.sentences
    )
    return replace(
        found,
        message=joined(*sentences),
        sentences=sentences,
        preempts=tuple(each.id for each in visible),
    )


def quota(found: Quota, projects: Iterable[Project], rights: Rights, *, editable: bool) -> Quota:
    """Return the quota as a caller sees it: of other projects only totals.

    `editable` is whether administrators of this backend can change projects.
    """
    mine = tuple(project.name for project in launchable(projects, rights))
    return replace(
        found,
        projects=tuple(_use(use, rights) for use in found.projects),
        mine=mine,
        default=mine[0] if mine else "",
        admin=rights.admin and editable,
    )


def nodes(found: Sequence[NodeUse], rights: Rights) -> tuple[NodeUse, ...]:
    """Return the nodes as a caller sees them: the projects of all slices, and own sessions."""
    return tuple(
        replace(node, devices=tuple(_device(use, rights) for use in node.devices)) for node in found
    )


def project(found: Project, rights: Rights) -> Project:
    """Return a project as a caller sees it: its people are named to those who belong to it."""
    if rights.names(found.name):
        return found
    return replace(found, members=(), viewers=(), leads=(), people_shown=False)


def policy(found: Policy, sessions: Iterable[Session], rights: Rights) -> Policy:
    """Return the policy as a caller sees it: with the exemptions of visible names."""
    if rights.admin:
        return found
    known = {f"session:{session.id}" for session in seen(sessions, rights)}
    known |= {f"project:{name}" for name in rights.roles} | {f"user:{rights.caller.name}"}
    return replace(found, exemptions=tuple(e for e in found.exemptions if _named(e, known)))


def _named(exemption: Exemption, known: Collection[str]) -> bool:
    return exemption.who in known


def _outside(session: Session) -> Session:
    """Return a session for those who may see that it exists, but not its details."""
    spec = session.spec
    return replace(
        session,
        spec=SessionSpec(
            name=spec.name,
            project=spec.project,
            kind=spec.kind,
            share=spec.share,
            priority=spec.priority,
            node_type=spec.node_type,
            environment="",
            folder="",
            base_url="",
        ),
        reason=_plain(session.reason and impersonal(session.reason)),
        progress=(),
        exit=None,
        usage=None,
        ending=None,
        fallback=None,
        listening=(),
    )


def _without_log(session: Session) -> Session:
    """Return a session for those who may not read its log."""
    ended = replace(session.exit, last_lines=()) if session.exit else None
    return replace(session, reason=_plain(session.reason), exit=ended)


def _plain(reason: Reason | None) -> Reason | None:
    """Return a reason without the lines of a log."""
    return replace(reason, raw="") if reason else None


def _reclaim(reclaim: Reclaim | None, rights: Rights) -> Reclaim | None:
    if reclaim is None or rights.names(reclaim.project):
        return reclaim
    return replace(reclaim, session="", name="")


def _use(use: ProjectUse, rights: Rights) -> ProjectUse:
    if rights.names(use.name):
        return use
    return replace(use, users=tuple(u for u in use.users if u.user == rights.caller.name))


def _device(use: DeviceUse, rights: Rights) -> DeviceUse:
    slices = tuple(_slice(piece, rights) for piece in use.slices)
    shown = {piece.session for piece in slices}

    def programs(found: Iterable[GpuProgram]) -> tuple[GpuProgram, ...]:
        seen = (each for each in found if not each.session or each.session in shown)
        return tuple(_program(each, rights) for each in seen)

    gpus = tuple(replace(each, programs=programs(each.programs)) for each in use.gpus)
    return replace(use, slices=slices, programs=programs(use.programs), gpus=gpus)


def _program(program: GpuProgram, rights: Rights) -> GpuProgram:
    """Return a program on a GPU as a caller sees it.

    Of one outside sessions everyone sees whose it is and what it holds, as that is not free; what
    it is, only its owner and admins.
    """
    own = program.owner == rights.caller.name and not rights.caller.session
    if own or rights.admin or program.session:
        return program
    return replace(program, name="", pid=None)


def _slice(piece: SliceUse, rights: Rights) -> SliceUse:
    own = piece.owner == rights.caller.name and not rights.caller.session
    if own or rights.names(piece.project) or piece.session in {"", rights.caller.session}:
        return piece
    return replace(piece, session="", name=f"a session of {piece.project}", owner="", used=None)
