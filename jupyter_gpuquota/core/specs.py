"""Check a request once, and say everything that is wrong with it at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from ..errors import FieldError, refuse, refused
from ..model.environments import LaunchPlace
from ..model.policy import Policy
from ..model.quota import Project
from ..model.resources import Node, Share
from ..model.rightsizing import ResizeRequest
from ..model.sessions import Kind, SessionRequest, SessionSpec
from .policy import NO_POLICY
from .possible import check_possible
from .shares import parse_share
from .wishes import check_wish, parse_wish

NAME_LIMIT = 63
"""Longest name: that of a Kubernetes object, so that a request can move between backends."""
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_OURS = re.compile(
    r"CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|CUDA_MPS_\w+|GPUQUOTA_\w+|JUPYTER_TOKEN"
)
_KINDS: tuple[Kind, ...] = ("interactive", "interactive-spot", "train")


@dataclass(frozen=True, slots=True)
class Facts:
    """Be what the outside knows that a request must agree with.

    `projects` are those that the user may launch in; the first is taken when none is named.
    `watched` names those whose sessions the user sees, without launching there.
    """

    projects: Sequence[Project]
    nodes: Sequence[Node]
    place: LaunchPlace
    policy: Policy = NO_POLICY
    watched: Sequence[str] = ()


def check(request: SessionRequest, facts: Facts) -> SessionSpec:
    """Return the checked request.

    Raises:
        InvalidFields: with every broken field of the request.
    """
    share, errors = parse_share(request)
    project, wanted = project_of(request, facts), _wanted(request, facts)
    wish, problems = parse_wish(request.idle_timeout)
    errors += [
        *_check_name(request.name),
        *_check_project(wanted, project, facts),
        *(_check_possible(request, share, project, facts) if project and not errors else []),
        *_check_kind(request.kind),
        *_check_place(request, facts.place),
        *_check_argv(request),
        *_check_env(request.env),
        *_check_ports(request.ports),
        *problems,
        *(check_wish(wish, facts.policy, project, request.kind) if project else []),
    ]
    if not 0 <= request.priority <= 100:
        errors.append(FieldError("priority", "A priority is a number from 0 to 100."))
    refuse(errors)
    return msgspec.structs.replace(_spec(request, wanted, share, facts), idle_timeout=wish)


def project_of(request: SessionRequest, facts: Facts) -> Project | None:
    """Return the project that a request is for, None if the user may launch in no such one."""
    wanted = _wanted(request, facts)
    return next((p for p in facts.projects if p.name == wanted), None)


def resized(spec: SessionSpec, asked: ResizeRequest) -> SessionRequest:
    """Return the request that a session was made of, with another share. Raises InvalidFields."""
    if not (asked.gpu or asked.gpu_memory or asked.mig_profile):
        problem = FieldError("gpu", "It is needed.", "Name the share to start again with.")
        raise refused(problem)
    return SessionRequest(
        name=spec.name,
        project=spec.project,
        kind=spec.kind,
        gpu=asked.gpu,
        gpu_memory=asked.gpu_memory,
        gpu_compute=asked.gpu_compute,
        mig_profile=asked.mig_profile,
        environment=spec.image or spec.environment,
        folder=spec.folder,
        command=spec.command,
        args=spec.args,
        env=spec.env,
        ports=spec.ports,
        priority=spec.priority,
        node_type=spec.node_type,
        base_url=spec.base_url,
    )


def _wanted(request: SessionRequest, facts: Facts) -> str:
    return request.project or (facts.projects[0].name if facts.projects else "")


def _spec(request: SessionRequest, project: str, share: Share, facts: Facts) -> SessionSpec:
    environment = facts.place.environment
    return SessionSpec(
        name=request.name,
        project=project,
        kind=request.kind,
        share=share,
        environment=environment.prefix if environment else "",
        image=environment.image if environment else "",
        folder=facts.place.folder,
        command=request.command,
        args=request.args,
        env=request.env,
        ports=request.ports,
        priority=request.priority,
        node_type=request.node_type,
        base_url=request.base_url,
    )


def _check_name(name: str) -> list[FieldError]:
    if not name:
        return [FieldError("name", "A session needs a name.", "For example exp-1.")]
    if len(name) > NAME_LIMIT:
        return [FieldError("name", f"A name has at most {NAME_LIMIT} characters, not {len(name)}.")]
    if _NAME.fullmatch(name):
        return []
    close = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return [
        FieldError(
            "name",
            "A name has small letters, digits and hyphens, and begins and ends without a hyphen.",
            f"For example {close}." if close else "For example exp-1.",
        )
    ]


def _check_project(wanted: str, project: Project | None, facts: Facts) -> list[FieldError]:
    if project:
        return []
    known = ", ".join(p.name for p in facts.projects)
    hint = f"You launch in: {known}." if known else "Ask an admin to make you a member of one."
    if wanted in facts.watched:
        message = f"You may look at {wanted}, but not launch in it."
    elif wanted:
        message = f"There is no project {wanted!r} that you may launch in."
    else:
        message = "There is no project that you may launch in."
    return [FieldError("project", message, hint)]


def _check_possible(
    request: SessionRequest, share: Share, project: Project, facts: Facts
) -> list[FieldError]:
    return check_possible(share, request.kind, request.node_type, facts.nodes, project)


def _check_kind(kind: str) -> list[FieldError]:
    if kind in _KINDS:
        return []
    return [FieldError("kind", f"{kind!r} is no kind.", f"Kinds are {', '.join(_KINDS)}.")]


def _check_place(request: SessionRequest, place: LaunchPlace) -> list[FieldError]:
    errors = []
    if place.environment is None:
        missing = f"There is no environment {request.environment!r}."
        message = place.environment_problem or missing
        errors.append(FieldError("environment", message, "Choose one that is listed."))
    elif place.environment.problem and not request.command:
        hint = "Install jupyter_server there, or choose another."
        errors.append(FieldError("environment", place.environment.problem, hint))
    if place.folder_problem:
        errors.append(FieldError("folder", place.folder_problem))
    return errors


def _check_argv(request: SessionRequest) -> list[FieldError]:
    errors = []
    for field, words in (("command", request.command), ("args", request.args)):
        if any("\0" in word for word in words):
            errors.append(FieldError(field, "It contains a NUL character."))
    if request.command and not request.command[0].strip():
        errors.append(FieldError("command", "It begins with an empty word."))
    return errors


def _check_env(env: dict[str, str]) -> list[FieldError]:
    errors = []
    for name, value in env.items():
        field = f"env.{name}"
        if not _VARIABLE.fullmatch(name):
            errors.append(FieldError(field, "That is not a name of an environment variable."))
        elif _OURS.fullmatch(name):
            errors.append(FieldError(field, f"{name} is set by the session's share."))
        elif "\0" in value:
            errors.append(FieldError(field, "Its value contains a NUL character."))
    return errors


def _check_ports(ports: Sequence[int]) -> list[FieldError]:
    errors = []
    for i, port in enumerate(ports):
        if not 1 <= port <= 65535:
            message = f"{port} is not a port."
            errors.append(FieldError(f"ports[{i}]", message, "Ports run from 1024 to 65535."))
        elif port < 1024:
            message = f"Port {port} is reserved for the system."
            errors.append(FieldError(f"ports[{i}]", message, "Take one from 1024 to 65535."))
        elif port in ports[:i]:
            errors.append(FieldError(f"ports[{i}]", f"Port {port} is named twice."))
    return errors
