"""What Kueue would do with a request, by its quotas and what is in use. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from ....model.messages.build import reason
from ....model.previews import PreviewVerdict
from ....model.reasons import Reason
from ....model.resources import Share
from ....model.sessions import Kind
from ..explain import Account, over_quota, too_few, with_holders
from .objects import Workload, condition
from .queues import ProjectQueues
from .quota_tree import queue
from .victims import Request, choose

Projects = Mapping[str, ProjectQueues]
"""The queues of all projects, by name."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a request; `borrowed` in milli-GPU, `victims` are preempted for it."""

    verdict: PreviewVerdict
    borrowed: int = 0
    victims: tuple[Workload, ...] = ()
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request for GPUs: what it costs in quota, and its priority in Kueue."""

    project: str
    kind: Kind
    share: Share
    milli: int
    priority: int = 0


def forecast(wanted: Wanted, projects: Projects) -> Outcome:
    """Return what would become of a request of a project that has queues."""
    queues = projects[wanted.project]
    if stopped := inactive(queues, wanted.kind):
        return Outcome("waits", reason=stopped)
    requests = list(_requests(wanted, queues))
    if any(r.tree.available(r.key) >= wanted.milli for r in requests):
        borrowed = _charged(queues, wanted).borrowed(wanted.milli)
        return Outcome("borrows" if borrowed else "fits", borrowed)
    why = why_queued(wanted, projects)
    if all(r.tree.most(r.key) < wanted.milli for r in requests):
        return Outcome("forbidden", reason=why)
    victims = next(filter(None, map(choose, requests)), ())
    return Outcome("reclaims" if victims else "waits", victims=victims, reason=why)


def why_queued(wanted: Wanted, projects: Projects) -> Reason:
    """Return why a request is queued, by the first bound that it would exceed."""
    queues, milli = projects[wanted.project], wanted.milli
    charged = _charged(queues, wanted)
    if charged.borrowed(milli):
        of_queue, own = _account_of_queue(queues, wanted.kind), _is_only_interactive(queues, wanted)
        if bound := over_quota(of_queue, milli, interactive=own) or over_quota(charged, milli):
            return bound
    free = sum(max(0, r.tree.available(r.key)) for r in _requests(wanted, queues))
    why = too_few(dataclasses.replace(charged, free=free), milli, wanted.share)
    return with_holders(why, (_account(each) for each in projects.values()))


def inactive(queues: ProjectQueues, kind: Kind) -> Reason | None:
    """Return why the queue for a kind of session admits nothing at present."""
    local, behind = queues.of(kind), queues.behind(kind)
    for each in (behind, local):
        active = condition(each.status.conditions, "Active")
        if each.spec.stop_policy != "None" or (active and active.status == "False"):
            found = reason(
                "QueueMissing",
                "queue.inactive",
                queue=local.metadata.name,
                project=queues.namespace,
            )
            return replace(found, raw=active.message if active else each.spec.stop_policy)
    return None


def _is_only_interactive(queues: ProjectQueues, wanted: Wanted) -> bool:
    """Return whether a request goes into a queue that only interactive sessions use."""
    return wanted.kind == "interactive" and queues.main.key != queues.interactive.key


def _account(queues: ProjectQueues) -> Account:
    return Account(queues.namespace, queues.quota, queues.used, queues.limit)


def _charged(queues: ProjectQueues, wanted: Wanted) -> Account:
    """Return what a request counts against: its queue if within the quota of that, else all.

    An interactive session borrows nothing even while trainings of its project do.
    """
    of_queue = _account_of_queue(queues, wanted.kind)
    within = of_queue.used + wanted.milli <= of_queue.quota
    return of_queue if within else _account(queues)


def _account_of_queue(queues: ProjectQueues, kind: Kind) -> Account:
    """Return what the ClusterQueue for a kind of session may use."""
    name = queues.behind(kind).metadata.name
    key, state = queue(name), queues.state
    trees = [state.trees[flavor] for flavor in state.flavors_of(name)]
    limits = [tree.limit(key) for tree in trees]
    known = [limit for limit in limits if limit is not None]
    return Account(
        queues.namespace,
        quota=sum(tree.quota(key) for tree in trees),
        used=sum(tree.usage(key) for tree in trees),
        limit=sum(known) if len(known) == len(limits) else None,
    )


def _requests(wanted: Wanted, queues: ProjectQueues) -> Iterator[Request]:
    """Iterate over the flavors that the request could be given."""
    source = queues.behind(wanted.kind)
    for flavor in queues.state.flavors_of(source.metadata.name):
        yield Request(queues.state, flavor, source, wanted.milli, wanted.priority)
