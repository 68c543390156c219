"""The routes of sessions; see `routes`."""

from __future__ import annotations

from .base import Nothing, Page
from .idleness import Activity, KeepAliveRequest, PresenceRequest
from .policy import SessionPolicy
from .rightsizing import Advice, ResizeRequest
from .route import Route
from .sessions import (
    Endpoint,
    EndpointQuery,
    ExecContext,
    ExecRequest,
    ExecResult,
    LogChunk,
    LogQuery,
    Preview,
    ResumeRequest,
    Session,
    SessionQuery,
    SessionRequest,
)

SESSIONS: tuple[Route, ...] = (
    Route(
        "sessions.list",
        "GET",
        "/sessions",
        Page[Session],
        "List sessions, oldest first",
        query=SessionQuery,
        noun="sessions",
    ),
    Route(
        "sessions.create",
        "POST",
        "/sessions",
        Session,
        "Ask for a session",
        request=SessionRequest,
        status=201,
    ),
    Route(
        "sessions.preview",
        "POST",
        "/sessions/preview",
        Preview,
        "Say what would happen to a request",
        request=SessionRequest,
    ),
    Route("sessions.get", "GET", "/sessions/{id}", Session, "Show a session", noun="sessions"),
    Route(
        "sessions.advice",
        "GET",
        "/sessions/{id}/advice",
        Advice,
        "Say which share a session would do with, by what it has used",
    ),
    Route(
        "sessions.delete",
        "DELETE",
        "/sessions/{id}",
        Nothing,
        "Forget a session that has ended, with its log",
    ),
    Route("sessions.stop", "POST", "/sessions/{id}/stop", Session, "Stop a session"),
    Route(
        "sessions.suspend",
        "POST",
        "/sessions/{id}/suspend",
        Session,
        "Stop a session and keep its request, so that it can resume",
    ),
    Route(
        "sessions.resume",
        "POST",
        "/sessions/{id}/resume",
        Session,
        "Put a suspended or ended session back into the queue",
        request=ResumeRequest,
    ),
    Route(
        "sessions.resize",
        "POST",
        "/sessions/{id}/resize",
        Session,
        "Start a session again with another share; one that runs is stopped first",
        request=ResizeRequest,
    ),
    Route("sessions.log", "GET", "/sessions/{id}/log", LogChunk, "Read its log", query=LogQuery),
    Route(
        "sessions.exec",
        "POST",
        "/sessions/{id}/exec",
        ExecResult,
        "Run a program inside a running session's environment and share",
        request=ExecRequest,
    ),
    Route(
        "sessions.endpoint",
        "GET",
        "/sessions/{id}/endpoint",
        Endpoint,
        "Tell the ingress where a session listens",
        query=EndpointQuery,
        internal=True,
    ),
    Route(
        "sessions.presence",
        "POST",
        "/sessions/{id}/presence",
        Nothing,
        "Hear from the ingress that a person used a session",
        request=PresenceRequest,
        internal=True,
    ),
    Route(
        "sessions.context",
        "GET",
        "/sessions/{id}/context",
        ExecContext,
        "Tell a terminal of the same account how to be inside a session",
        internal=True,
    ),
    Route(
        "sessions.policy",
        "GET",
        "/sessions/{id}/policy",
        SessionPolicy,
        "Say what the policy comes to for a session, and which level decided each rule",
    ),
    Route(
        "sessions.activity",
        "GET",
        "/sessions/{id}/activity",
        Activity,
        "Say what is known of a session's activity",
    ),
    Route(
        "sessions.keep_alive",
        "POST",
        "/sessions/{id}/keep-alive",
        Session,
        "Keep a session alive for a while, though nobody uses it",
        request=KeepAliveRequest,
    ),
)
