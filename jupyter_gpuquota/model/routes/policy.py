"""The routes of the policy for idle sessions."""

from __future__ import annotations

from ..policy import Policy, PolicyRequest
from ..struct import Message
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "policy.get",
        "GET",
        "/policy",
        Policy,
        "Show the policy for idle sessions, and the built-in rules",
        noun="policy",
    ),
    Route(
        "policy.put",
        "PUT",
        "/policy",
        Policy,
        "Change the policy for idle sessions",
        request=PolicyRequest,
        need="admin",
    ),
    Route(
        "policy.preview",
        "POST",
        "/policy/preview",
        Message,
        "Preview how many sessions a policy would have ended over the last week",
        request=PolicyRequest,
        need="admin",
    ),
)
