"""Read and check what a session requests of its container."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from ...errors import FieldError
from ...model.pods import ContainerRules, PodOptions, PodRequest, PullPolicy, SecretKey, Toleration
from ...model.quota import Project
from ...model.sessions import SessionRequest, SessionSpec
from ..fields import FieldReader
from . import quantities
from .feasibility import Fit, check_quota
from .quantities import parse_cpus, parse_memory

_LARGEST_ID = 2**31 - 1
_LARGEST_AMOUNT = 2**30  # 1 PiB
_AMOUNTS: Mapping[str, tuple[Callable[[str], int], str]] = {
    "cpu": (parse_cpus, "m"),
    "cpu_limit": (parse_cpus, "m"),
    "memory": (parse_memory, "Mi"),
    "memory_limit": (parse_memory, "Mi"),
}
"""How amounts are read, and their unit."""
_NAMES = "the name of one in the project's namespace"


def read_options(
    request: SessionRequest, rules: ContainerRules | None, reader: FieldReader
) -> PodOptions | None:
    """Return the options of a request, None where it has none.

    `rules` is None where sessions are processes: then every used option is an error.
    """
    used = [
        name
        for name in PodRequest.__struct_fields__
        if getattr(request, name) not in ("", False, (), {})
    ]
    if rules is None:
        for name in used:
            reader.wrong(name, "pod.process")
    if rules is None or not used:
        return None
    amounts: dict[str, Any] = _amounts(request, reader)
    user, group = _run_as(str(request.run_as).strip(), reader)
    _check_names(request, reader)
    return PodOptions(
        **amounts,
        large_shm=request.large_shm,
        tolerations=tuple(_tolerations(request.tolerations, reader)),
        pull_secrets=request.pull_secrets,
        pull_policy=request.pull_policy,
        service_account=request.service_account,
        run_as_user=user,
        run_as_group=group,
        secret_env=dict(_secret_env(request, rules, reader)),
    )


def options_asked(options: PodOptions | None) -> dict[str, Any]:
    """Return options as the fields of a request."""
    if options is None:
        return {}
    amounts = ((name, getattr(options, name), unit) for name, (_, unit) in _AMOUNTS.items())
    run_as = [str(n) for n in (options.run_as_user, options.run_as_group) if n is not None]
    return {
        **{name: f"{amount}{unit}" if amount else "" for name, amount, unit in amounts},
        "large_shm": options.large_shm,
        "tolerations": tuple(map(toleration_text, options.tolerations)),
        "pull_secrets": options.pull_secrets,
        "pull_policy": options.pull_policy,
        "service_account": options.service_account,
        "run_as": ":".join(run_as),
        "secret_env": {name: f"{ref.secret}/{ref.key}" for name, ref in options.secret_env.items()},
    }


def toleration_text(one: Toleration) -> str:
    """Return a toleration as it is requested."""
    return one.key + (f"={one.value}" if one.value else "") + (one.effect and f":{one.effect}")


def _amounts(request: SessionRequest, reader: FieldReader) -> dict[str, int]:
    found = {
        name: reader.read(name, text, parse) if (text := getattr(request, name)) != "" else 0
        for name, (parse, _) in _AMOUNTS.items()
    }
    for name, amount in found.items():
        reader.within(name, amount, 0, _LARGEST_AMOUNT)
    for name in ("cpu", "memory"):
        limit = f"{name}_limit"
        if 0 < found[limit] < found[name]:
            reader.wrong(limit, "pod.limit", least=str(getattr(request, name)))
    return found


def _run_as(text: str, reader: FieldReader) -> tuple[int | None, int | None]:
    if not text:
        return None, None
    match = quantities.RUN_AS.fullmatch(text)
    if not match:
        reader.wrong("run_as", "pod.value", value=repr(text), example="1000 or 1000:100")
        return None, None
    numbers = [int(part) for part in match.groups() if part]
    for number in numbers:
        reader.within("run_as", number, 1, _LARGEST_ID)
    return numbers[0], numbers[1] if len(numbers) > 1 else None


def _check_names(request: SessionRequest, reader: FieldReader) -> None:
    if request.pull_policy:
        reader.choice("pull_policy", request.pull_policy, get_args(PullPolicy))
    names = {f"pull_secrets[{i}]": name for i, name in enumerate(request.pull_secrets)}
    if request.service_account:
        names["service_account"] = request.service_account
    for field, name in names.items():
        if not quantities.OBJECT.fullmatch(name):
            reader.wrong(field, "pod.value", value=repr(name), example=_NAMES)


def _tolerations(texts: Sequence[str], reader: FieldReader) -> Iterator[Toleration]:
    for i, text in enumerate(texts):
        match = quantities.TOLERATION.fullmatch(text.strip())
        if match:
            yield Toleration(key=match[1], value=match[2] or "", effect=match[3] or "")
        else:
            example = "KEY=VALUE:NoSchedule, KEY:NoSchedule or KEY"
            reader.wrong(f"tolerations[{i}]", "pod.value", value=repr(text), example=example)


def _secret_env(
    request: SessionRequest, rules: ContainerRules, reader: FieldReader
) -> Iterator[tuple[str, SecretKey]]:
    check_variables("secret_env", request.secret_env, reader, container=True)
    for name, text in request.secret_env.items():
        match = quantities.SECRET_VALUE.fullmatch(text.strip())
        if name in request.env:
            reader.wrong(f"secret_env.{name}", "field.twice")
        if match and rules.keeps_secret(match[1]):
            reader.wrong(f"secret_env.{name}", "pod.reserved", name=match[1])
        elif match:
            yield name, SecretKey(secret=match[1], key=match[2])
        else:
            reader.wrong(f"secret_env.{name}", "pod.value", value=repr(text), example="SECRET/KEY")


def check_processes(
    request: SessionRequest, containers: ContainerRules | None, reader: FieldReader
) -> None:
    """Check that several processes are possible here, and for this kind of session."""
    if request.processes == 1:
        return
    most = containers.processes if containers else 1
    if most == 1:
        reader.wrong("processes", "processes.none")
    elif request.kind != "train" or not request.command:
        reader.wrong("processes", "processes.training")
    else:
        reader.within("processes", request.processes, 1, most)


def check_together(request: SessionRequest, fit: Fit, project: Project) -> Sequence[FieldError]:
    """Return whether all processes together exceed what a project may use."""
    if request.processes <= 1:
        return ()
    return check_quota(fit.share, fit.milli * request.processes, request.kind, project)


def last_process(spec: SessionSpec) -> int:
    """Return the highest number of a process; with MPI, number 0 of several is the launcher."""
    launchers = int(spec.framework == "mpi" and spec.processes > 1)
    return spec.processes - 1 + launchers


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_OURS = re.compile(
    r"CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|CUDA_MPS_\w+|GPUQUOTA_\w+|JUPYTER_TOKEN(_FILE)?"
)
_OF_CONTAINERS = re.compile(r"NVIDIA_VISIBLE_DEVICES|JUPYTER_(CONFIG_PATH|NO_CONFIG)")
"""What grants GPUs to a container, and what the session's Jupyter Server is configured by."""


def check_variables(
    field: str, names: Iterable[str], reader: FieldReader, *, container: bool
) -> None:
    """Check the names of variables; `container`: also those that are special in containers."""
    for name in names:
        if not _NAME.fullmatch(name):
            reader.wrong(f"{field}.{name}", "env.name")
        elif _OURS.fullmatch(name) or (container and _OF_CONTAINERS.fullmatch(name)):
            reader.wrong(f"{field}.{name}", "env.reserved", name=name)
