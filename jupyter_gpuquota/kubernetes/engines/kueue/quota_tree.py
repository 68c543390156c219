"""The arithmetic of quotas in a tree of Cohorts and ClusterQueues, for one flavor.

The rules are Kueue's own (`pkg/cache/scheduler/resource_node.go`). Amounts are milli-GPU.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

Key = tuple[str, str]
"""A member of the tree: `queue` or `cohort`, and its name. The two may have the same name."""


def queue(name: str) -> Key:
    """Return the key of a ClusterQueue."""
    return "queue", name


def cohort(name: str) -> Key:
    """Return the key of a Cohort."""
    return "cohort", name


@dataclass(frozen=True, slots=True)
class Member:
    """A ClusterQueue or Cohort with what is set in it.

    `borrowing` is how much it may use above its quota, `lending` how much of its quota others may
    use; None: no limit.
    """

    key: Key
    parent: Key | None
    nominal: int = 0
    borrowing: int | None = None
    lending: int | None = None


@dataclass(frozen=True)
class QuotaTree:
    """All members, and what the ClusterQueues use."""

    members: Mapping[Key, Member]
    used: Mapping[Key, int]
    _quotas: dict[Key, int] = field(default_factory=dict, repr=False, compare=False)
    _usages: dict[Key, int] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def children(self) -> Mapping[Key, tuple[Key, ...]]:
        """The members directly below each one."""
        found = defaultdict(list)
        for member in self.members.values():
            if member.parent:
                found[member.parent].append(member.key)
        return {key: tuple(below) for key, below in found.items()}

    def path(self, key: Key) -> Iterator[Key]:
        """Iterate over a member and those above it; a circle ends where it closes."""
        seen: set[Key] = set()
        at: Key | None = key
        while at and at in self.members and at not in seen:
            seen.add(at)
            yield at
            at = self.members[at].parent

    def queues_below(self, key: Key) -> set[Key]:
        """Return the ClusterQueues below a member, or itself."""
        return {at for at in self.members if at[0] == "queue" and key in self.path(at)}

    def quota(self, key: Key) -> int:
        """Return the quota of a member with all below it that is lent to it."""
        if key not in self._quotas:
            below = sum(self.quota(child) - self._kept(child) for child in self._below(key))
            self._quotas[key] = self.members[key].nominal + below
        return self._quotas[key]

    def usage(self, key: Key) -> int:
        """Return what a member uses: for a Cohort, what its members use of its quota."""
        if key[0] == "queue":
            return self.used.get(key, 0)
        if key not in self._usages:
            lent = (max(0, self.usage(child) - self._kept(child)) for child in self._below(key))
            self._usages[key] = sum(lent)
        return self._usages[key]

    def borrows(self, key: Key) -> bool:
        """Return whether a member uses more than its quota."""
        return self.usage(key) > self.quota(key)

    def available(self, key: Key) -> int:
        """Return how much more a member may use now; below 0 where others use its quota."""
        member, quota, usage = self.members[key], self.quota(key), self.usage(key)
        parent = self._parent(key)
        if parent is None:
            return quota - usage
        kept, above = self._kept(key), self.available(parent)
        if member.borrowing is not None:
            above = min(above, quota - kept - max(0, usage - kept) + member.borrowing)
        return max(0, kept - usage) + above

    def most(self, key: Key) -> int:
        """Return how much a member could use if nobody else used anything."""
        member, quota, parent = self.members[key], self.quota(key), self._parent(key)
        if parent is None:
            return quota
        most = self._kept(key) + self.most(parent)
        return most if member.borrowing is None else min(most, quota + member.borrowing)

    def limit(self, key: Key) -> int | None:
        """Return the most that a member is allowed to use, None if only the whole tree limits it.

        A member without a Cohort cannot borrow.
        """
        borrowing = self.members[key].borrowing
        if self._parent(key) is None:
            borrowing = 0
        return None if borrowing is None else self.quota(key) + borrowing

    def within_quota(self, key: Key, amount: int) -> bool:
        """Return whether a member would still be within its quota with so much more."""
        return self.usage(key) + amount <= self.quota(key)

    def using(self, key: Key, amount: int) -> QuotaTree:
        """Return the tree in which a ClusterQueue uses so much more."""
        used = {**self.used, key: self.used.get(key, 0) + amount}
        return QuotaTree(self.members, used, self._quotas)

    def _kept(self, key: Key) -> int:
        """Return how much of a member's quota is never lent."""
        lending = self.members[key].lending
        return 0 if lending is None else max(0, self.quota(key) - lending)

    def _parent(self, key: Key) -> Key | None:
        return next((at for at in self.path(key) if at != key), None)

    def _below(self, key: Key) -> Iterable[Key]:
        return self.children.get(key, ())


def tree_of(members: Iterable[Member], used: Mapping[Key, int]) -> QuotaTree:
    """Return the tree of these members.

    A Cohort that is only named exists all the same. Members of a circle of Cohorts lend each other
    nothing, as Kueue does not admit them.
    """
    known = {member.key: member for member in members}
    for member in tuple(known.values()):
        if member.parent and member.parent not in known:
            known[member.parent] = Member(member.parent, None)
    return QuotaTree({k: _uncircled(m, known) for k, m in known.items()}, used)


def _uncircled(member: Member, known: Mapping[Key, Member]) -> Member:
    """Return a member without its parent if it is above itself."""
    seen: set[Key] = set()
    at = member.parent
    while at and at not in seen:
        if at == member.key:
            return Member(member.key, None, member.nominal)
        seen.add(at)
        at = known[at].parent
    return member
