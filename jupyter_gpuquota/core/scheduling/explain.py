"""Why a session is queued, what would help, and why a session was preempted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...model.messages.build import message, reason, reason_of
from ...model.messages.formats import Arg, holders_arg
from ...model.reasons import Reason
from ...model.sessions import Session
from ..names import mention
from .holders import Victims
from .ledger import Account, Ledger, holdings_of
from .placement import Allowed, Pool, form_of, why_not


def explain(
    session: Session,
    milli: int,
    ledger: Ledger,
    pool: Pool,
    allowed: Allowed,
    more: Callable[[], int] = int,
) -> Reason:
    """Return why a session that no rule forbids has no devices.

    `more` returns what could be reclaimed for it, in milli-GPU, if it were in one place; nothing
    where that is not known.
    """
    share = session.spec.share
    obstacle = why_not(share, pool, allowed)
    if obstacle.code == "Fragmented":
        return obstacle
    account, free = ledger.of(session), pool.free(allowed).milli
    within = not session.preemptible or account.used + milli <= account.right
    if within and not share.mig and (found := more()) and free + found >= milli:
        return reason("Fragmented", f"fragmented.reclaim.{form_of(share)}", free=free, more=found)
    if session.preemptible and account.used + milli > account.project.quota:
        why = _borrowing(account, milli, obstacle.message)
    else:
        why = obstacle.extended(message("quota.not_reclaimable", project=account.project.name))
    most = holders_arg(holdings_of(ledger.accounts))
    return why.extended(message("quota.holders", holders=most)) if most else why


def _borrowing(account: Account, milli: int, raw: str) -> Reason:
    """Return why a session is queued that would borrow some or all of what it requests."""
    name, used, quota = account.project.name, account.used, account.project.quota
    args: dict[str, Arg] = {"project": name, "used": used, "quota": quota, "more": milli}
    borrowed = used + milli - quota
    if borrowed < milli:
        return reason_of("OverQuota", "quota.borrow_part", args | {"borrowed": borrowed}, raw)
    return reason_of("OverQuota", "quota.borrow_all", args, raw)


def reclaiming(victims: Victims, preemptor: Session, grace: int) -> Reason:
    """Return why a session is queued for which GPUs are being reclaimed; `grace` in seconds."""
    sessions = mention(victims, preemptor.spec.project)
    return reason("BeingReclaimed", "reclaim.pending", sessions=sessions, grace=grace)


def releasing(leaving: Sequence[Session], node: str, project: str) -> Reason:
    """Return why a session is queued for which GPUs of a node, or any, are about to be free."""
    there = [s for s in leaving if s.placement and node in ("", s.placement.node)]
    if not there:
        return reason("BeingReclaimed", "reclaim.stopping")
    return reason("BeingReclaimed", "reclaim.releasing", sessions=mention(there, project))


def reclaimed(victim: Session, preemptor: Session, *, moved: bool) -> Reason:
    """Return why a session has to release its GPUs, as its own project may read it."""
    project = victim.spec.project
    session = mention([preemptor], project)
    if moved:
        return reason("Moved", "reclaim.moved", session=session)
    if project == preemptor.spec.project:
        return reason("Reclaimed", "reclaim.priority", session=session)
    return reason("Reclaimed", "reclaim.borrowed", session=session, project=project)
