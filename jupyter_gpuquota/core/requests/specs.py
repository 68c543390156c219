"""Check a request for a session, and report every mistake at once."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from ...errors import refuse, refused
from ...model.environments import LaunchPlace
from ...model.messages.build import field_error
from ...model.pods import ContainerRules
from ...model.policy import Policy
from ...model.quota import Project
from ...model.resources import Node, Share
from ...model.rightsizing import ResizeRequest
from ...model.sessions import Kind, SessionRequest, SessionSpec
from ..fields import NAME_LIMIT, FieldReader
from ..idle.lifetime import check_wish, read_wish
from ..idle.policy import NO_POLICY
from .again import asked_again
from .data import Resolved, read_data
from .feasibility import Fits, fit
from .mounts import VolumeFacts, read_mounts
from .places import check_alone
from .pods import check_processes, check_together, check_variables, read_options
from .shares import read_share

_KINDS: tuple[Kind, ...] = ("interactive", "interactive-spot", "train")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a request is checked against.

    `projects` are those that the user may launch in, the first is the default. `watched` names
    those whose sessions the user may only view. `right` is what launching needs, where that is not
    membership. `containers` is None if sessions are processes. `fits` rounds a share up and checks
    it: by default like our own scheduler. `data` has what the datasets of the request are.
    `volumes` is what its volumes are checked against, None where they are not known. A `partial`
    request (a template, one that is simulated or was checked before) may lack the command of a
    training.
    """

    projects: Sequence[Project]
    nodes: Sequence[Node]
    place: LaunchPlace
    policy: Policy = NO_POLICY
    watched: Sequence[str] = ()
    right: str = ""
    containers: ContainerRules | None = None
    fits: Fits = fit
    data: Mapping[str, Resolved] = field(default_factory=dict)
    volumes: VolumeFacts | None = None
    partial: bool = False


def check(request: SessionRequest, facts: Facts) -> SessionSpec:
    """Return the checked request.

    Raises:
        InvalidFields: with every broken field of the request.
    """
    reader = FieldReader()
    check_alone(request, reader)
    share = read_share(request, reader)
    wish = read_wish(request.idle_timeout, reader)
    return _checked(request, share, wish, facts, reader)


def check_again(spec: SessionSpec, facts: Facts) -> SessionSpec:
    """Return a request that was checked before, checked again.

    Its idle timeout is not checked: it counts only as far as the policy allows. Versions of
    datasets stay those that it was launched with.

    Raises:
        InvalidFields: with every field that would be refused at a launch.
    """
    known = replace(facts, partial=True)
    checked = _checked(asked_again(spec), spec.share, None, known, FieldReader())
    return msgspec.structs.replace(checked, idle_timeout=spec.idle_timeout, data=spec.data)


def _checked(
    request: SessionRequest, share: Share, wish: int | None, facts: Facts, reader: FieldReader
) -> SessionSpec:
    project, wanted = project_of(request, facts), _wanted(request, facts)
    is_readable = not reader.errors
    containers = facts.containers
    reader.name("name", request.name, "exp-1", containers.name_limit if containers else NAME_LIMIT)
    if project is None:
        _refuse_project(wanted, facts, reader)
    elif is_readable:
        fit = facts.fits(share, request.kind, request.node_type, facts.nodes, project)
        reader.add(fit.errors or check_together(request, fit, project))
        share = fit.share
    reader.choice("kind", request.kind, _KINDS)
    _check_place(request, facts.place, reader)
    check_argv(request, reader, partial=facts.partial)
    check_processes(request, containers, reader)
    _check_env(request.env, reader, container=containers is not None)
    _check_ports(request.ports, reader)
    pod = read_options(request, containers, reader)
    volumes = read_mounts(request.volumes, request.name, facts.volumes, containers, reader)
    taken = [mount.path for mount in volumes]
    data = read_data(request.data, facts.data, containers, reader, taken)
    if project:
        check_wish(wish, facts.policy, project, request.kind, reader)
    reader.within("priority", request.priority, 0, 100)
    reader.finish()
    spec = _spec(request, wanted, share, facts)
    return msgspec.structs.replace(spec, idle_timeout=wish, pod=pod, data=data, volumes=volumes)


def project_of(request: SessionRequest, facts: Facts) -> Project | None:
    """Return the project of a request; None if the user may not launch in it."""
    wanted = _wanted(request, facts)
    return next((p for p in facts.projects if p.name == wanted), None)


def resized(spec: SessionSpec, asked: ResizeRequest) -> SessionRequest:
    """Return the request of a session with another share, more volumes, or both.

    The added volumes are the first ones, so that errors name them as they were requested. Raises
    InvalidFields.
    """
    if not _names_share(asked) and (asked.gpu_compute or not asked.volumes):
        raise refused(field_error("gpu", "resize.share"))
    again = asked_again(spec)
    return msgspec.structs.replace(
        again,
        gpu=asked.gpu,
        gpu_memory=asked.gpu_memory,
        gpu_compute=asked.gpu_compute,
        mig_profile=asked.mig_profile,
        volumes=(*asked.volumes, *again.volumes),
    )


def check_resized(spec: SessionSpec, asked: ResizeRequest, facts: Facts) -> SessionSpec:
    """Return a request that was checked before with its new share and its added volumes.

    Raises:
        InvalidFields: with every field that would be refused at a launch, and volumes that do not
            exist yet: those are made before.
    """
    reader = FieldReader()
    request = resized(spec, asked)
    share = read_share(request, reader) if _names_share(asked) else spec.share
    checked = _checked(request, share, None, facts, reader)
    added = checked.volumes[: len(asked.volumes)]
    refuse(
        field_error(f"volumes[{i}]", "resize.volume", volume=mount.volume)
        for i, mount in enumerate(added)
        if mount.size
    )
    return msgspec.structs.replace(spec, share=checked.share, volumes=(*spec.volumes, *added))


def _names_share(asked: ResizeRequest) -> bool:
    return bool(asked.gpu or asked.gpu_memory or asked.mig_profile)


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
        stop_when_idle=request.stop_when_idle,
        processes=request.processes,
        framework=request.framework,
    )


def _refuse_project(wanted: str, facts: Facts, reader: FieldReader) -> None:
    known = ",".join(project.name for project in facts.projects)
    if not wanted and facts.right:
        reader.wrong("project", "project.none.right", right=facts.right)
        return
    if not wanted:
        reader.wrong("project", "project.none")
        return
    if facts.right:
        right = f"{facts.right} in {wanted}"
        reader.wrong("project", "project.right", project=wanted, right=right)
        return
    key = "project.viewer" if wanted in facts.watched else "project.closed"
    if known:
        reader.wrong("project", key, project=wanted, projects=known)
    else:
        reader.wrong("project", f"{key}.none", project=wanted)


def _check_place(request: SessionRequest, place: LaunchPlace, reader: FieldReader) -> None:
    if place.environment is None:
        if place.environment_problem:
            reader.wrong("environment", "environment.problem", problem=place.environment_problem)
        else:
            reader.wrong("environment", "environment.unknown", name=repr(request.environment))
    elif place.environment.problem and not request.command:
        reader.wrong("environment", "environment.unusable", problem=place.environment.problem)
    if place.folder_problem:
        reader.untranslated("folder", place.folder_problem)


def _check_env(env: dict[str, str], reader: FieldReader, *, container: bool) -> None:
    check_variables("env", env, reader, container=container)
    for name, value in env.items():
        if "\0" in value:
            reader.wrong(f"env.{name}", "field.nul")


def _check_ports(ports: Sequence[int], reader: FieldReader) -> None:
    for i, port in enumerate(ports):
        if not 1 <= port <= 65535:
            reader.wrong(f"ports[{i}]", "port.range", port=str(port))
        elif port < 1024:
            reader.wrong(f"ports[{i}]", "port.system", port=str(port))
        elif port in ports[:i]:
            reader.wrong(f"ports[{i}]", "port.twice", port=str(port))


_RESERVED_FLAG = re.compile(
    r"--(ip|port|port[-_]retries|sock|sock[-_]mode|transport|notebook[-_]dir|allow[-_]root|"
    r"keyfile|certfile|client[-_]ca)|"
    r"--(\w+App|\w*IdentityProvider)\.(ip|port|port_retries|sock|sock_mode|base_url|root_dir|"
    r"notebook_dir|token|password|password_required|hashed_password|allow_root|"
    r"identity_provider_class|login_handler_class|certfile|keyfile|open_browser|"
    r"shutdown_no_activity_timeout|custom_display_url)"
)
"""Arguments that change how a Jupyter Server is reached or secured."""

_OPERATOR = re.compile(r"&&?|\|\|?|<|&?\d?>{1,2}(&\d|[\w./~-]+)?|[\w./=-]+;")
"""Words that only a shell understands. A `;` alone is an argument of `find -exec`."""
_SHELLS = {"bash", "dash", "fish", "ksh", "sh", "zsh"}


def check_argv(request: SessionRequest, reader: FieldReader, *, partial: bool = False) -> None:
    """Check command and arguments; `partial`: a training may leave its command to its launch."""
    if request.kind == "train" and not request.command and not partial:
        reader.wrong("command", "command.missing")
    for name, words in (("command", request.command), ("args", request.args)):
        if any("\0" in word for word in words):
            reader.wrong(name, "field.nul")
    if request.command and not request.command[0].strip():
        reader.wrong("command", "command.empty")
    elif operator := _operator(request.command):
        line = " ".join(map(_written, request.command))
        shell = f"bash -c {shlex.quote(line)}"
        reader.wrong("command", "command.operator", operator=operator, shell=shell)
    for i, word in enumerate(() if request.command else request.args):
        if found := _RESERVED_FLAG.fullmatch(word.partition("=")[0]):
            reader.wrong(f"args[{i}]", "argument.reserved", argument=found[0])


def _operator(command: Sequence[str]) -> str:
    """Return the first word of a command that only a shell understands, empty for none."""
    if not command or command[0].rpartition("/")[2] in _SHELLS:
        return ""
    return next(filter(_OPERATOR.fullmatch, command), "")


def _written(word: str) -> str:
    """Return a word as a shell reads it: operators as they are, others quoted."""
    return word if _OPERATOR.fullmatch(word) else shlex.quote(word)
