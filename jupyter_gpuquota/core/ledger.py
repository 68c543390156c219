"""Keep account of what projects hold, have by right and may still be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..model.quota import Project
from ..model.reasons import Reason
from ..model.resources import gpus_text
from ..model.sessions import Session
from .fairshare import Demand, fair_shares

UNBOUNDED = 1 << 60
BY_RIGHT, FAIR, BORROWED = range(3)
"""Tiers of a claim: inside the quota, inside the fair share, beyond."""


@dataclass(slots=True)
class Account:
    """Be what one project holds, in milli-GPU; what leaves is not counted any more.

    `fixed` is the part of `used` that is never reclaimed.
    """

    project: Project
    known: bool = True
    used: int = 0
    fixed: int = 0
    asked: int = 0
    fair: int = 0


class Ledger:
    """Count for every project; one that was deleted has no quota and borrows nothing."""

    def __init__(self, projects: Iterable[Project]) -> None:
        self.accounts = {project.name: Account(project) for project in projects}

    def of(self, session: Session) -> Account:
        """Find the account of a session's project."""
        name = session.spec.project
        if name not in self.accounts:
            gone = Project(name=name, quota=0, weight=0, limit=0)
            self.accounts[name] = Account(gone, known=False)
        return self.accounts[name]

    def hold(self, session: Session, milli: int, by: int = 1) -> None:
        """Count what a session holds, or with `by` -1 no longer holds."""
        account = self.of(session)
        account.used += by * milli
        if not session.preemptible:
            account.fixed += by * milli

    def ask(self, session: Session, milli: int) -> None:
        """Count what a session holds or waits for."""
        self.of(session).asked += milli

    def share_out(self, capacity: int) -> None:
        """Compute the fair shares."""
        demands = [Demand(account.project, account.asked) for account in self.accounts.values()]
        for name, fair in fair_shares(demands, capacity).items():
            self.accounts[name].fair = fair

    def tier(self, session: Session, milli: int) -> int:
        """Tell how strong a session's claim to so much more is."""
        account = self.of(session)
        after = account.used + milli
        if not session.preemptible or after <= account.project.quota:
            return BY_RIGHT
        return FAIR if after <= account.fair else BORROWED

    def refuses(self, session: Session, milli: int) -> Reason | None:
        """Say which rule keeps a session from being given so much more now, None if none does."""
        account = self.of(session)
        if not account.known:
            return Reason(
                code="QueueMissing",
                message=f"The project {account.project.name} does not exist any more.",
                hint="Ask an admin, or launch it in another project.",
            )
        if account.project.draining:
            return Reason(
                code="QueueMissing",
                message=f"The project {account.project.name} is being closed; it starts nothing "
                "any more.",
                hint="Ask an admin, or launch it in another project.",
            )
        return self.lacks_right(session, milli) or _over_ceiling(account, milli)

    def lacks_right(self, session: Session, milli: int) -> Reason | None:
        """Say why an interactive session is beyond its project's quota, None if it is not."""
        account = self.of(session)
        quota = account.project.quota
        if session.preemptible or account.fixed + milli <= quota:
            return None
        return Reason(
            code="OverQuota",
            message=f"Interactive sessions of {account.project.name} use "
            f"{gpus_text(account.fixed)} of its {gpus_text(quota)} GPUs; "
            f"{gpus_text(milli)} more would be over its quota.",
            hint=f"It starts when {gpus_text(account.fixed + milli - quota)} GPU of them is free "
            "again; an interactive-spot session may borrow.",
        )


def _over_ceiling(account: Account, milli: int) -> Reason | None:
    project, after = account.project, account.used + milli
    if after <= project.ceiling(UNBOUNDED):
        return None
    over_limit = project.limit is not None and after > project.limit
    amount = project.limit if over_limit and project.limit is not None else project.quota
    what = "limit" if over_limit else "quota"
    rule = "its limit" if over_limit else "its quota, and it may not borrow"
    return Reason(
        code="OverLimit" if over_limit else "OverQuota",
        message=f"{project.name} uses {gpus_text(account.used)} of its {what} of "
        f"{gpus_text(amount)} GPUs; {gpus_text(milli)} more would be over {rule}.",
        hint=f"It starts when {gpus_text(after - amount)} GPU of the project is free again.",
    )


def holders(accounts: Mapping[str, Account]) -> str:
    """Say who holds the most, for example `team-d 8 (2 borrowed), team-b 2`."""
    most: Sequence[Account] = sorted(
        (a for a in accounts.values() if a.used > 0),
        key=lambda a: (-a.used, a.project.name),
    )[:3]
    return ", ".join(
        f"{a.project.name} {gpus_text(a.used)}"
        + (f" ({gpus_text(a.used - a.project.quota)} borrowed)" if a.used > a.project.quota else "")
        for a in most
    )
