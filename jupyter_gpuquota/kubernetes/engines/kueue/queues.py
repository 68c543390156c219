"""The queues of each project, and what they guarantee.

A project is a namespace. Its quota is that of the ClusterQueues behind its LocalQueues, with the
Cohorts that have no other members.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....model.sessions import Kind
from .objects import ClusterQueue, LocalQueue
from .quota_tree import Key, QuotaTree, queue
from .state import KueueState


@dataclass(frozen=True)
class ProjectQueues:
    """The queues of one project.

    `main` is the LocalQueue of sessions that may borrow, `interactive` that of those that may not;
    they may be the same.
    """

    state: KueueState
    namespace: str
    main: LocalQueue
    interactive: LocalQueue
    all: tuple[LocalQueue, ...]

    def of(self, kind: Kind | str) -> LocalQueue:
        """Return the LocalQueue for a kind of session."""
        return self.interactive if kind == "interactive" else self.main

    def behind(self, kind: Kind | str) -> ClusterQueue:
        """Return the ClusterQueue for a kind of session."""
        return self.state.by_name[self.of(kind).spec.cluster_queue]

    def covers(self, kind: Kind | str, resource: str) -> bool:
        """Return whether the ClusterQueue for a kind of session admits pods with a resource.

        Where it covers thousandths only, Kueue's configuration turns whole GPUs into these.
        """
        groups = self.behind(kind).spec.resource_groups
        covered = {name for group in groups for name in group.covered_resources}
        gpus = self.state.gpus
        return resource in covered or (resource == gpus.whole and gpus.milli in covered)

    @cached_property
    def cluster_queues(self) -> tuple[str, ...]:
        """The names of the ClusterQueues behind the LocalQueues."""
        return tuple(sorted({each.spec.cluster_queue for each in self.all}))

    @cached_property
    def flavors(self) -> tuple[str, ...]:
        """The flavors in which the ClusterQueues give GPUs."""
        found = (f for name in self.cluster_queues for f in self.state.flavors_of(name))
        return tuple(dict.fromkeys(found))

    @cached_property
    def quota(self) -> int:
        """What is guaranteed, in milli-GPU."""
        return sum(tree.quota(top) for tree, top in self._tops())

    @cached_property
    def limit(self) -> int | None:
        """The most that the project may use, None if it may borrow all that others leave."""
        limits = [tree.limit(top) for tree, top in self._tops()]
        known = [limit for limit in limits if limit is not None]
        return sum(known) if len(known) == len(limits) else None

    @cached_property
    def used(self) -> int:
        """What the project uses, in milli-GPU: its sessions and all its other workloads."""
        names = set(self.cluster_queues)
        return sum(
            self.state.amount(w)
            for w in self.state.holders()
            if w.status.admission and w.status.admission.cluster_queue in names
        )

    def tops(self, flavor: str) -> tuple[Key, ...]:
        """Return the highest members of a flavor's tree that belong to this project alone.

        The root of a tree is for all, even while no other project uses it.
        """
        tree = self.state.trees[flavor]
        own = {queue(name) for name in self.cluster_queues}
        found: dict[Key, None] = {}
        for key in sorted(own):
            alone = [
                at
                for at in tree.path(key)
                if at == key or (tree.members[at].parent and tree.queues_below(at) <= own)
            ]
            found[alone[-1]] = None
        return tuple(found)

    def _tops(self) -> Iterator[tuple[QuotaTree, Key]]:
        for flavor in self.flavors:
            for top in self.tops(flavor):
                yield self.state.trees[flavor], top


def may_borrow(state: KueueState, name: str) -> bool:
    """Return whether a ClusterQueue may use more than its own quota, in any flavor."""
    key = queue(name)
    trees = (state.trees[flavor] for flavor in state.flavors_of(name))
    return any(tree.limit(key) != tree.quota(key) for tree in trees)


def find_queues(
    state: KueueState, main: str = "", interactive: str = ""
) -> Mapping[str, ProjectQueues]:
    """Return the queues of each project, by its name; namespaces without GPU quota are none.

    `main` and `interactive` name the LocalQueues that an administrator has chosen. Otherwise
    sessions that may borrow use a queue that may, the one named `default` first; interactive
    sessions one that may not, if there is one.
    """
    found: dict[str, list[LocalQueue]] = defaultdict(list)
    for each in state.local_queues:
        if each.spec.cluster_queue in state.by_name:
            found[each.metadata.namespace].append(each)
    return {
        namespace: _chosen(state, namespace, locals_, (main, interactive))
        for namespace, locals_ in sorted(found.items())
    }


def _chosen(
    state: KueueState, namespace: str, locals_: Sequence[LocalQueue], names: tuple[str, str]
) -> ProjectQueues:
    lends = {q.metadata.name: may_borrow(state, q.spec.cluster_queue) for q in locals_}

    def best(wanted: str, *, borrow: bool) -> LocalQueue:
        return min(
            locals_,
            key=lambda q: (
                q.metadata.name != wanted,
                lends[q.metadata.name] != borrow,
                *_by_name(q),
            ),
        )

    return ProjectQueues(
        state,
        namespace,
        main=best(names[0], borrow=True),
        interactive=best(names[1] or names[0], borrow=False),
        all=tuple(sorted(locals_, key=lambda q: q.metadata.name)),
    )


def find_closed(state: KueueState, main: str = "") -> Mapping[str, LocalQueue]:
    """Return the LocalQueue to use in each namespace of whose ClusterQueues nothing is known.

    That is so for users who may read the queues of their namespace only.
    """
    known = {each.metadata.name for each in state.cluster_queues}
    found: dict[str, list[LocalQueue]] = defaultdict(list)
    for each in state.local_queues:
        found[each.metadata.namespace].append(each)
    return {
        namespace: min(own, key=lambda q: (q.metadata.name != main, *_by_name(q)))
        for namespace, own in sorted(found.items())
        if not any(each.spec.cluster_queue in known for each in own)
    }


def _by_name(local: LocalQueue) -> tuple[bool, str]:
    return local.metadata.name != "default", local.metadata.name
