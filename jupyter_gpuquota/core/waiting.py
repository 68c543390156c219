"""Say why a session waits, and what would help."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.reasons import Reason
from ..model.resources import gpus_text
from ..model.sessions import Session
from .ledger import BORROWED, Ledger, holders
from .names import mention
from .placement import Allowed, Pool, why_not
from .victims import Victims


def explain(session: Session, milli: int, ledger: Ledger, pool: Pool, allowed: Allowed) -> Reason:
    """Say why a session that no rule forbids has no devices."""
    found = why_not(session.spec.share, pool, allowed)
    if found.code == "Fragmented":
        return found
    account = ledger.of(session)
    name, quota = account.project.name, gpus_text(account.project.quota)
    others = holders(ledger.accounts)
    in_use = f" In use: {others}." if others else ""
    if ledger.tier(session, milli) == BORROWED or account.used + milli > account.project.quota:
        borrowed = account.used + milli - account.project.quota
        part = f"{gpus_text(borrowed)} of " if 0 < borrowed < milli else ""
        return Reason(
            code="OverQuota",
            message=f"{name} has {quota} GPU by right and uses {gpus_text(account.used)}; "
            f"{part}{gpus_text(milli)} more would be borrowed, and no such share is free.{in_use}",
            hint="It starts when others leave GPUs unused.",
            raw=found.message,
        )
    return Reason(
        code=found.code,
        message=f"{found.message} Inside {name}'s quota, but nobody who could give GPUs back "
        f"holds the right ones.{in_use}",
        hint=found.hint,
    )


def reclaiming(victims: Victims, taker: Session, grace: int) -> Reason:
    """Return why a session waits for which GPUs are being taken back."""
    names = mention(victims, taker.spec.project)
    return Reason(
        code="BeingReclaimed",
        message=f"Its GPUs are being given back by {names}.",
        hint=f"It starts when they have ended, in {grace} seconds at the latest.",
    )


def releasing(leaving: Sequence[Session], node: str, project: str) -> Reason:
    """Return why a session waits for which GPUs of a node are about to be free."""
    there = [s for s in leaving if s.placement and s.placement.node == node]
    names = mention(there[:3], project)
    return Reason(
        code="BeingReclaimed",
        message=f"Its GPUs are being given back by {names}.",
        hint="It starts when they have ended.",
    )


def reclaimed(victim: Session, taker: Session, *, moved: bool) -> Reason:
    """Say to a victim for whom it has to go, and that it comes back."""
    what = mention([taker], victim.spec.project)
    if moved:
        return Reason(
            code="Moved",
            message=f"Makes room for {what}, and goes on elsewhere.",
            hint="It is in line again and starts by itself.",
        )
    if victim.spec.project == taker.spec.project:
        why = "which goes first in the same project"
    else:
        why = f"which has the right to them; {victim.spec.project} had borrowed"
    return Reason(
        code="Reclaimed",
        message=f"Its GPUs were taken back for {what}, {why}.",
        hint="It is in line again and starts by itself when GPUs are free.",
    )
