"""Start a session again with another share."""

from __future__ import annotations

from typing import Any

from ..client import Client
from ..errors import InvalidRequest
from ..model.base import Page
from ..model.resources import gpus_text
from .grammar import Args
from .screen import Screen, tell
from .views.sessions import ChangedView


def resize(client: Client, args: Args, screen: Screen) -> ChangedView:
    """Resize one session, to the share that is named or else to the one that is advised."""
    before = client.sessions.get(args.name, project=args.project)
    session = client.sessions.resize(before.id, **(_named(args) or _advised(client, before.id)))
    if args.wait:
        for newer in tell(client.sessions.watch(session.id), screen, old=before.progress):
            session = newer
    page = Page(items=(session,), total=1, revision=session.revision)
    return ChangedView(page, {}, exit_code=int(session.state == "failed"))


def _named(args: Args) -> dict[str, Any]:
    fields = ("gpu", "gpu_memory", "gpu_compute", "mig_profile")
    return {field: getattr(args, field) for field in fields if getattr(args, field)}


def _advised(client: Client, session_id: str) -> dict[str, Any]:
    advice = client.sessions.advice(session_id)
    if advice.share is None:
        raise InvalidRequest(
            f"No other share is advised: {advice.message}",
            hint="Name one, for example with `-g 0.25`.",
        )
    share = advice.share
    found = {
        "gpu": gpus_text(share.milli) if share.milli else "",
        "gpu_memory": str(share.memory or ""),
        "gpu_compute": str(share.compute or ""),
        "mig_profile": share.mig,
    }
    return {field: value for field, value in found.items() if value}
