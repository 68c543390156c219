"""The routes of what admins set; see `routes`."""

from __future__ import annotations

from .base import Page
from .policy import Policy, PolicyRequest
from .policytrial import PolicyTrial
from .projects import (
    AuditEntry,
    AuditQuery,
    ChangePreview,
    Groups,
    GroupsRequest,
    ProjectAnswer,
    ProjectRemoval,
    ProjectRequest,
    Projects,
    RulesRequest,
    SettingsChange,
)
from .quota import Rules
from .route import Route

SETTINGS: tuple[Route, ...] = (
    Route(
        "projects.list",
        "GET",
        "/projects",
        Projects,
        "Show the projects as they are set",
        noun="quota",
    ),
    Route(
        "projects.put",
        "PUT",
        "/projects/{name}",
        ProjectAnswer,
        "Make a project, or change one",
        request=ProjectRequest,
        need="admin",
    ),
    Route(
        "projects.delete",
        "DELETE",
        "/projects/{name}",
        ProjectAnswer,
        "Delete a project, or let it drain",
        query=ProjectRemoval,
        need="admin",
    ),
    Route("rules.get", "GET", "/rules", Rules, "Show what holds for all projects"),
    Route(
        "rules.put",
        "PUT",
        "/rules",
        Rules,
        "Change what holds for all projects",
        request=RulesRequest,
        need="admin",
    ),
    Route("groups.get", "GET", "/groups", Groups, "Show the node groups"),
    Route(
        "groups.put",
        "PUT",
        "/groups",
        Groups,
        "Change the node groups",
        request=GroupsRequest,
        need="admin",
    ),
    Route(
        "policy.get",
        "GET",
        "/policy",
        Policy,
        "Show what is set of idle sessions, and the built-in rules",
        noun="policy",
    ),
    Route(
        "policy.put",
        "PUT",
        "/policy",
        Policy,
        "Change what is set of idle sessions",
        request=PolicyRequest,
        need="admin",
    ),
    Route(
        "policy.try",
        "POST",
        "/policy/try",
        PolicyTrial,
        "Say what a policy would have done over the last week",
        request=PolicyRequest,
        need="admin",
    ),
    Route(
        "settings.preview",
        "POST",
        "/settings/preview",
        ChangePreview,
        "Say what a change of projects, rules or node groups would do",
        request=SettingsChange,
        need="admin",
    ),
    Route(
        "audit.list",
        "GET",
        "/audit",
        Page[AuditEntry],
        "Show who changed what, newest first",
        query=AuditQuery,
        need="admin",
    ),
)
