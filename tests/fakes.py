"""A backend in memory that keeps the promises of the port: the contract suite holds it to them."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from jupyter_gpuquota.core import history, idleness, lifecycle, members, names
from jupyter_gpuquota.core.exemptions import without_project
from jupyter_gpuquota.core.idle_week import Stretch
from jupyter_gpuquota.core.isolation import isolation_of
from jupyter_gpuquota.core.nodegroups import labelled
from jupyter_gpuquota.core.plans import Situation
from jupyter_gpuquota.core.policy import NO_POLICY, Ruling, rule_for, subject_of
from jupyter_gpuquota.core.projects import check_revision, find
from jupyter_gpuquota.core.quota import sum_up
from jupyter_gpuquota.core.sampling import sample
from jupyter_gpuquota.core.scheduling import plan
from jupyter_gpuquota.errors import NotAllowed, NotFound, WrongState
from jupyter_gpuquota.model.about import Revisions
from jupyter_gpuquota.model.environments import Environment, LaunchPlace
from jupyter_gpuquota.model.history import History
from jupyter_gpuquota.model.idleness import Activity, PresenceRequest
from jupyter_gpuquota.model.nodes import Reading
from jupyter_gpuquota.model.policy import Policy
from jupyter_gpuquota.model.projects import AuditEntry, Groups
from jupyter_gpuquota.model.quota import USUAL_RULES, Project, Rules
from jupyter_gpuquota.model.resources import Node, Placement, Share
from jupyter_gpuquota.model.sessions import (
    Endpoint,
    ExecContext,
    ExecRequest,
    ExecResult,
    LogChunk,
    LogQuery,
    Session,
    SessionRequest,
    SessionSpec,
)

from .builders import make_node, make_project

ENVIRONMENT = Environment(
    id="base", label="base", prefix="/env", python="/env/bin/python", default=True
)

NOUNS = ("sessions", "quota", "nodes", "policy")


@dataclass
class FakeBackend:
    """Run sessions that exist in memory only: what fits starts at once, what ends ends at once.

    `logs`, `endpoints`, `activities` and `past` may be filled in by a test. A sample is taken
    whenever the history is asked for.
    """

    nodes_: tuple[Node, ...] = (make_node("dgx1-1"), make_node("dgx1-2"))
    projects_: tuple[Project, ...] = (make_project("team-a", "4"), make_project("team-b", "2"))
    name: str = "fake"
    source: str = "simulated"
    instance: str = field(default_factory=lambda: secrets.token_hex(4))
    logs: dict[str, str] = field(default_factory=dict)
    endpoints: dict[tuple[str, int], Endpoint] = field(default_factory=dict)
    past: list[history.Bucket] = field(default_factory=list)
    seen: list[tuple[str, PresenceRequest]] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    rules_: Rules = USUAL_RULES
    groups_: Groups = field(default_factory=Groups)
    policy_: Policy = NO_POLICY
    stretches: list[Stretch] = field(default_factory=list)
    activities: dict[str, Activity] = field(default_factory=dict)
    interval: int = 30
    admins: frozenset[str] | None = None
    """Who may change projects; None for everyone."""

    def __post_init__(self) -> None:
        self._audit: list[AuditEntry] = []
        self._sessions: dict[str, Session] = {}
        self._counter = 1
        self._changed = asyncio.Event()

    def warnings(self) -> tuple[str, ...]:
        return self.notes

    def revision(self, noun: str) -> int:
        return self._counter

    async def changed(self, since: int, timeout: float) -> Revisions:
        if self._counter <= since:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), timeout)
        nouns = dict.fromkeys(NOUNS, self._counter)
        return Revisions(instance=self.instance, latest=self._counter, nouns=nouns)

    def sessions(self) -> tuple[Session, ...]:
        return tuple(self._sessions.values())

    def projects(self) -> tuple[Project, ...]:
        return self.projects_

    def rules(self) -> Rules:
        return self.rules_

    def nodes(self) -> tuple[Node, ...]:
        return labelled(self.nodes_, self.groups_)

    def found_nodes(self) -> tuple[Node, ...]:
        return self.nodes_

    def readings(self) -> Mapping[str, Reading]:
        return {}

    async def environments(self) -> tuple[Environment, ...]:
        return (ENVIRONMENT,)

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        known = request.environment in ("", ENVIRONMENT.id, ENVIRONMENT.prefix)
        missing = f"There is no folder {request.folder}." if "missing" in request.folder else ""
        return LaunchPlace(
            environment=ENVIRONMENT if known else None,
            folder=request.folder or "/work",
            folder_problem=missing,
        )

    async def create(self, spec: SessionSpec, owner: str) -> Session:
        names.check_free(spec, self._sessions.values())
        now = datetime.now(UTC)
        session = Session(
            id=secrets.token_hex(6),
            spec=spec,
            owner=owner,
            state="waiting",
            since=now,
            created=now,
            path="",
        )
        session = msgspec.structs.replace(session, path=f"gpuquota/s/{session.id}/")
        self._put(session)
        self._admit()
        return self._sessions[session.id]

    async def stop(self, session_id: str) -> Session:
        return self._end(lifecycle.request_end(self._find(session_id), "stop", datetime.now(UTC)))

    async def suspend(self, session_id: str) -> Session:
        asked = lifecycle.request_end(self._find(session_id), "suspend", datetime.now(UTC))
        return self._end(asked)

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        session = lifecycle.request_resume(self._find(session_id), datetime.now(UTC))
        if base_url:
            spec = msgspec.structs.replace(session.spec, base_url=base_url)
            session = msgspec.structs.replace(session, spec=spec)
        self._put(session)
        self._admit()
        return self._sessions[session_id]

    async def resize(self, session_id: str, share: Share) -> Session:
        now = datetime.now(UTC)
        sized = lifecycle.request_resize(self._find(session_id), share, now)
        if sized.state == "stopping":
            sized = lifecycle.finish_end(sized, now)
        self._put(sized)
        self._admit()
        return self._sessions[session_id]

    async def delete(self, session_id: str) -> None:
        lifecycle.check_deletable(self._find(session_id))
        del self._sessions[session_id]
        self._bump()
        self._admit()

    async def log(self, session_id: str, query: LogQuery) -> LogChunk:
        session = self._find(session_id)
        text = self.logs.get(session_id, "")
        begin = len("".join(text.splitlines(keepends=True)[: -query.tail])) if query.tail else 0
        begin = begin or min(query.offset, len(text))
        part = text[begin : begin + query.limit]
        ended = session.state not in ("running", "starting", "stopping")
        return LogChunk(text=part, offset=begin, next=begin + len(part), ended=ended)

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        self._running(session_id)
        return ExecResult(exit_code=0, output=" ".join(request.command) + "\n")

    async def context(self, session_id: str) -> ExecContext:
        session = self._running(session_id)
        return ExecContext(env={"GPUQUOTA_SESSION": session_id}, folder=session.spec.folder)

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        session = self._running(session_id)
        if port and port not in session.spec.ports:
            raise NotAllowed(f"{session.spec.name} does not expose port {port}.")
        if (session_id, port) not in self.endpoints:
            raise WrongState(f"Nothing of {session.spec.name} listens on port {port}.")
        return self.endpoints[session_id, port]

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        self._find(session_id)
        self.seen.append((session_id, seen))

    async def history(self, window: history.Window) -> History:
        now = datetime.now(UTC)
        uses = sum_up(self.projects_, self.sessions(), self.nodes_, self._counter).projects
        at, seconds = int(now.timestamp()), 30
        self.past += sample(uses, self.sessions(), self.nodes_, {}, at=at, seconds=seconds)
        begin, end = window.since.timestamp(), window.until.timestamp()
        step = window.step(seconds, history.tiers(90), now)
        first = begin - begin % step
        found = [bucket for bucket in self.past if first <= bucket.at < end]
        wanted = [bucket for bucket in found if window.project in ("", bucket.project)]
        whole = [bucket for bucket in wanted if bucket.at >= begin]
        return history.tell(history.Recorded(step, wanted, whole), window, self.nodes_)

    def is_admin(self, user: str) -> bool:
        return self.admins is None or user in self.admins

    def set_by(self) -> str:
        return "store" if self._audit else "config"

    def quota_path(self) -> str:
        return ""

    def setting_warnings(self) -> tuple[str, ...]:
        return ()

    def groups(self) -> Groups:
        return self.groups_

    async def put_project(self, project: Project, who: str) -> Project:
        present = {p.name: p for p in self.projects_}
        old = present.get(project.name)
        check_revision(project.name, old.revision if old else 0, project.revision)
        new = self._newer(project)
        self._audited(who, f"{'changed' if old else 'made'} project {new.name}", old, new)
        self._set_projects({**present, new.name: new})
        return new

    async def delete_project(
        self, name: str, revision: int, who: str, *, drain: bool
    ) -> Project | None:
        present = {p.name: p for p in self.projects_}
        old = find(name, present.values())
        check_revision(name, old.revision, revision or old.revision)
        if not drain:
            members.check_deletable(name, self.sessions())
        new = self._newer(msgspec.structs.replace(old, draining=True))
        self._audited(who, f"deleted project {name}", old, None)
        self._set_projects({**present, name: new})
        return next((p for p in self.projects_ if p.name == name), None)

    async def put_rules(self, rules: Rules, who: str) -> Rules:
        check_revision("The rules", self.rules_.revision, rules.revision)
        new = self._newer(rules)
        self._audited(who, "changed the rules", self.rules_, new)
        self.rules_ = new
        self._set_projects({p.name: p for p in self.projects_})
        return new

    async def put_groups(self, groups: Groups, who: str) -> Groups:
        check_revision("The groups", self.groups_.revision, groups.revision)
        new = self._newer(groups)
        self._audited(who, "changed the node groups", self.groups_, new)
        self.groups_ = new
        self._set_projects({p.name: p for p in self.projects_})
        return new

    async def put_policy(self, policy: Policy, who: str) -> Policy:
        check_revision("The policy", self.policy_.revision, policy.revision)
        self._set_policy(policy, who, "changed the policy")
        return self.policy_

    async def recorded(self, since: datetime) -> list[Stretch]:
        return [s for s in self.stretches if s.end > since.timestamp()]

    def policy(self) -> Policy:
        return self.policy_

    def ruling(self, session_id: str) -> Ruling:
        session = self._find(session_id)
        project = next((p for p in self.projects_ if p.name == session.spec.project), None)
        return rule_for(self.policy_, subject_of(session), project, datetime.now(UTC))

    def activity(self, session_id: str) -> Activity:
        session = self._running(session_id)
        unseen = Activity(session=session.id, at=datetime.now(UTC), signals=(), looked=False)
        return self.activities.get(session_id, unseen)

    async def keep_alive(self, session_id: str, span: int) -> Session:
        session, limits = self._running(session_id), self.ruling(session_id).limits
        idleness.check_keep_alive(session, span, limits)
        span = span or limits.keep_alive
        kept = idleness.keep_alive(session.kept, span, datetime.now(UTC))
        self._put(msgspec.structs.replace(session, kept=kept))
        return self._find(session_id)

    def _set_policy(self, policy: Policy, who: str, what: str) -> None:
        old, self.policy_ = self.policy_, self._newer(policy)
        self._audited(who, what, old, self.policy_)
        self._bump()

    async def audit(self) -> tuple[AuditEntry, ...]:
        return tuple(self._audit)

    def _newer(self, thing):
        return msgspec.structs.replace(thing, revision=len(self._audit) + 2)

    def _audited(self, who: str, what: str, old: object, new: object) -> None:
        before, after = (msgspec.json.encode(x).decode() if x else "" for x in (old, new))
        number = str(len(self._audit) + 2)
        now = datetime.now(UTC)
        entry = AuditEntry(id=number, at=now, who=who, what=what, before=before, after=after)
        self._audit.insert(0, entry)

    def _set_projects(self, projects: dict[str, Project]) -> None:
        self.projects_ = tuple(projects.values())
        self._bump()
        self._admit()
        self._let_go()

    def _let_go(self) -> None:
        gone = members.drained(self.projects_, self.sessions())
        self.projects_ = tuple(p for p in self.projects_ if p not in gone)
        for project in gone:
            policy = without_project(self.policy_, project.name)
            if policy != self.policy_:
                self._set_policy(policy, "system", f"changed the policy: without {project.name}")

    def finish(self, session_id: str, state: str = "done") -> Session:
        """Let a session end by itself."""
        ended = lifecycle.move(self._find(session_id), state, datetime.now(UTC))
        self._put(ended)
        self._admit()
        return ended

    def _find(self, session_id: str) -> Session:
        if session_id not in self._sessions:
            raise NotFound(f"There is no session with the id {session_id!r}.")
        return self._sessions[session_id]

    def _running(self, session_id: str) -> Session:
        session = self._find(session_id)
        if session.state != "running":
            raise WrongState(f"{session.spec.name} is {session.state}, not running.")
        return session

    def _put(self, session: Session) -> None:
        self._bump()
        self._sessions[session.id] = msgspec.structs.replace(session, revision=self._counter)

    def _bump(self) -> None:
        self._counter += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def _end(self, session: Session) -> Session:
        if session.state == "stopping":
            session = lifecycle.finish_end(session, datetime.now(UTC))
        self._put(session)
        self._admit()
        return self._sessions[session.id]

    def _admit(self) -> None:
        now = datetime.now(UTC)
        decided = plan(
            Situation(self.sessions(), self.projects_, self.nodes(), now, rules=self.rules_)
        )
        for eviction in decided.evictions:
            leaving = lifecycle.request_requeue(
                self._sessions[eviction.session], eviction.reclaim, eviction.reason
            )
            self._put(lifecycle.finish_end(leaving, now))
        for decision in decided.decisions:
            session = self._sessions[decision.session]
            if not isinstance(decision.outcome, Placement):
                place = decision.ahead + 1
                if (session.reason, session.place_in_line) != (decision.outcome, place):
                    self._put(
                        msgspec.structs.replace(
                            session, reason=decision.outcome, place_in_line=place
                        )
                    )
                continue
            placed = msgspec.structs.replace(
                lifecycle.move(session, "starting", now),
                placement=decision.outcome,
                isolation=isolation_of(session.spec.share, simulated=True, mps=False),
            )
            self._put(lifecycle.move(placed, "running", now))
        if decided.evictions:
            self._admit()
        self._let_go()
