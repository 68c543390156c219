"""Why a request is queued, by the numbers of its project. Pure, for every engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...model.messages.build import message, reason
from ...model.messages.formats import holders_arg, share_arg
from ...model.reasons import Reason
from ...model.resources import Share


@dataclass(frozen=True, slots=True)
class Account:
    """What a project, or the part of it that a request counts against, may use, in milli-GPU.

    `limit` None: all that others leave. `free` is what the request could still be given, apart
    from these bounds.
    """

    project: str
    quota: int
    used: int
    limit: int | None = None
    free: int = 0

    def borrowed(self, milli: int) -> int:
        """Return how much of a request would be borrowed."""
        return min(milli, max(0, self.used + milli - self.quota))


def over_quota(account: Account, milli: int, *, interactive: bool = False) -> Reason | None:
    """Return the bound of the account that a request would exceed, None if it would not."""
    after = account.used + milli
    if account.limit is None or after <= account.limit:
        return None
    name, used, missing = account.project, account.used, after - account.limit
    if account.limit > account.quota:
        return reason(
            "OverLimit",
            "quota.limit",
            project=name,
            used=used,
            limit=account.limit,
            more=milli,
            missing=missing,
        )
    key = "quota.interactive" if interactive else "quota.no_borrowing"
    return reason(
        "OverQuota",
        key,
        project=name,
        used=used,
        quota=account.quota,
        more=milli,
        missing=missing,
    )


def too_few(account: Account, milli: int, share: Share) -> Reason:
    """Return why a request within all bounds is queued."""
    borrowed = account.borrowed(milli)
    if not borrowed:
        why = reason("NoNodeFits", "gpus.too_few", share=share_arg(share), free=account.free)
        return why.extended(message("quota.not_reclaimable", project=account.project))
    if borrowed < milli:
        return reason(
            "OverQuota",
            "quota.borrow_part",
            project=account.project,
            used=account.used,
            quota=account.quota,
            more=milli,
            borrowed=borrowed,
        )
    return reason(
        "OverQuota",
        "quota.borrow_all",
        project=account.project,
        used=account.used,
        quota=account.quota,
        more=milli,
    )


def with_holders(why: Reason, accounts: Iterable[Account]) -> Reason:
    """Return a reason with the three projects that hold the most."""
    most = sorted((a for a in accounts if a.used > 0), key=lambda a: (-a.used, a.project))[:3]
    held = holders_arg((a.project, a.used, max(0, a.used - a.quota)) for a in most)
    return why.extended(message("quota.holders", holders=held)) if held else why
