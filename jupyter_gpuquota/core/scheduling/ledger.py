"""What projects hold, are guaranteed and may still be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...model.messages.build import reason, reason_of
from ...model.messages.formats import Arg
from ...model.quota import Project
from ...model.reasons import Reason, ReasonCode
from ...model.sessions import Session
from .fairshare import Demand, fair_shares

UNBOUNDED = 1 << 60
IN_QUOTA, FAIR, BORROWED = range(3)
"""Tiers of a request: within the quota, within the fair share, beyond it."""


@dataclass(slots=True)
class Account:
    """What one project holds, in milli-GPU, once all that leaves has left.

    `parts`: all that is requested are parts of GPUs.
    `fixed` is the part of `used` that is never reclaimed. Until their processes are gone,
    `leaving` is held as well, of which `leaving_fixed` was never to be reclaimed: it still counts
    against the project's own limit and quota, and against no other project's. `refused` are the
    rules that a session waits for already: others come after it.
    """

    project: Project
    known: bool = True
    used: int = 0
    fixed: int = 0
    leaving: int = 0
    leaving_fixed: int = 0
    refused: set[str] = field(default_factory=set)
    requested: int = 0
    parts: bool = True
    fair: int = 0

    @property
    def right(self) -> int:
        """Return what it may hold and keep: the quota, or the fair share where that is more."""
        return max(self.fair, self.project.quota)

    def tier(self, milli: int, *, borrows: bool) -> int:
        """Return the tier of a request for so much more by a session that borrows or does not."""
        after = self.used + milli
        if not borrows or after <= self.project.quota:
            return IN_QUOTA
        return FAIR if after <= self.fair else BORROWED


class Ledger:
    """The accounts of all projects; a deleted one has no quota and borrows nothing."""

    def __init__(self, projects: Iterable[Project]) -> None:
        self.accounts = {project.name: Account(project) for project in projects}

    def of(self, session: Session) -> Account:
        """Return the account of a session's project."""
        name = session.spec.project
        account = self.accounts.get(name)
        if account is None:
            gone = Project(name=name, quota=0, weight=0, limit=0)
            account = self.accounts[name] = Account(gone, known=False)
        return account

    def hold(self, session: Session, milli: int, by: int = 1) -> None:
        """Count what a session holds, or with `by` -1 what it no longer holds."""
        account = self.of(session)
        account.used += by * milli
        if not session.preemptible:
            account.fixed += by * milli

    def leave(self, session: Session, milli: int) -> None:
        """Count what a stopping session still holds."""
        account = self.of(session)
        account.leaving += milli
        if not session.preemptible:
            account.leaving_fixed += milli

    def request(self, session: Session, milli: int) -> None:
        """Count what a session holds or is queued for."""
        account = self.of(session)
        account.requested += milli
        account.parts = account.parts and not session.spec.share.devices

    def refuse(self, session: Session, why: Reason) -> None:
        """Note what a session waits for: others of its project come after it."""
        self.of(session).refused.add(why.key)

    def share_out(self, capacity: int) -> None:
        """Compute the fair shares."""
        demands = [Demand(a.project, a.requested, a.parts) for a in self.accounts.values()]
        for name, fair in fair_shares(demands, capacity).items():
            self.accounts[name].fair = fair

    def refuses(self, session: Session, milli: int) -> Reason | None:
        """Return the rule that denies a session so much more once all that leaves has left."""
        account = self.of(session)
        name = account.project.name
        if not account.known:
            return reason("QueueMissing", "project.missing", project=name)
        if account.project.draining:
            return reason("QueueMissing", "project.draining", project=name)
        return _exceeds_quota(account, session, account.fixed, milli) or _over_ceiling(
            account, account.used, milli
        )

    def refuses_now(self, session: Session, milli: int) -> Reason | None:
        """Return the rule that denies a session so much more now, None if none does."""
        return self.refuses(session, milli) or self.refuses_meanwhile(session, milli)

    def refuses_meanwhile(self, session: Session, milli: int) -> Reason | None:
        """Return the rule that denies a session so much more until all that leaves has left."""
        account = self.of(session)
        if not account.leaving:
            return None
        return _exceeds_quota(
            account, session, account.fixed + account.leaving_fixed, milli
        ) or _over_ceiling(account, account.used + account.leaving, milli)

    def exceeds_quota(self, session: Session, milli: int) -> Reason | None:
        """Return why an interactive session would exceed the quota, None if it would not."""
        account = self.of(session)
        return _exceeds_quota(account, session, account.fixed, milli)


def _exceeds_quota(account: Account, session: Session, fixed: int, milli: int) -> Reason | None:
    quota = account.project.quota
    if session.preemptible or fixed + milli <= quota:
        return None
    args: dict[str, Arg] = {"used": fixed, "quota": quota, "more": milli}
    return _exceeds(account, "OverQuota", "quota.interactive", quota, args)


def _exceeds(
    account: Account, code: ReasonCode, rule: str, most: int, args: dict[str, Arg]
) -> Reason:
    """Return that more would exceed what a rule allows at most; `args` has `used` and `more`."""
    used, more = int(args["used"]), int(args["more"])
    args = {"project": account.project.name, **args}
    if more > most:
        return reason_of(code, f"{rule}.never", args)
    key = f"{rule}.ahead" if rule in account.refused else rule
    return reason_of(code, key, {**args, "missing": used + more - most})


def _over_ceiling(account: Account, used: int, milli: int) -> Reason | None:
    project, after = account.project, used + milli
    if after <= project.ceiling(UNBOUNDED):
        return None
    args: dict[str, Arg] = {"used": used, "more": milli}
    if project.limit is not None and after > project.limit:
        args["limit"] = project.limit
        return _exceeds(account, "OverLimit", "quota.limit", project.limit, args)
    args["quota"] = project.quota
    return _exceeds(account, "OverQuota", "quota.no_borrowing", project.quota, args)


def holdings_of(accounts: Mapping[str, Account]) -> list[tuple[str, int, int]]:
    """Return the three projects that hold the most, with what they hold and what is borrowed."""
    most: Sequence[Account] = sorted(
        (a for a in accounts.values() if a.used > 0),
        key=lambda a: (-a.used, a.project.name),
    )[:3]
    return [(a.project.name, a.used, max(0, a.used - a.project.quota)) for a in most]
