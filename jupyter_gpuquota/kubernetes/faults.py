"""Failures of the API server as errors that users understand; its own words are kept in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import (
    Conflict,
    FieldError,
    GpuQuotaError,
    InvalidFields,
    InvalidRequest,
    NameTaken,
    NotAllowed,
    NotFound,
    Outdated,
    Unavailable,
    Unsupported,
    refused,
)
from .api import Fault

Meaning = Callable[[Fault, re.Match[str]], GpuQuotaError]

FIELDS = (
    (r"containers\[0\]\.image", "environment"),
    (r"containers\[0\]\.env\[\d+\]", "env"),
    (r"containers\[0\]\.ports\[(\d+)\]", r"ports[\1]"),
    (r"containers\[0\]\.(args|command)", r"\1"),
    (r"containers\[0\]\.resources\.limits\[(cpu|memory)\]", r"\1_limit"),
    (r"containers\[0\]\.resources\.requests\[(cpu|memory)\]", r"\1"),
    (r"containers\[0\]\.resources", "gpu"),
    (r"tolerations", "tolerations"),
    (r"^spec\.accessModes", "mode"),
    (r"^spec\.storageClassName", "storage_class"),
    (r"^spec\.resources", "size"),
    (r"^spec\.volumeAttributesClassName", "level"),
    (r"^spec\.dataSource", "source"),
    (r"volume", "volumes"),
    (r"imagePullSecrets", "pull_secrets"),
    (r"serviceAccountName", "service_account"),
    (r"^metadata\.name$", "name"),
)
"""Which field of a request a field of a manifest comes from: the first pattern that is found."""


@contextmanager
def translated() -> Iterator[None]:
    """Raise errors that users understand in place of Fault."""
    try:
        yield
    except Fault as fault:
        raise error(fault) from fault


def error(fault: Fault) -> GpuQuotaError:
    """Return the error that says what a fault means."""
    for pattern, meaning in _BY_MESSAGE:
        if match := re.search(pattern, fault.message, re.DOTALL):
            return meaning(fault, match)
    by_status = _BY_STATUS.get(fault.status)
    return by_status(fault) if by_status else _other(fault)


def _quota_exceeded(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    name, requested, used, limited = match.groups()
    return Conflict(
        f"The resource quota {name} of {_namespace(fault)} is used up: "
        f"requested {requested}, used {used}, limit {limited}.",
        hint="End a session there, or ask for less.",
    )


def _quota_requires(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    name, needed = match.groups()
    return Conflict(
        f"The resource quota {name} of {_namespace(fault)} requires {needed}.",
        hint="Set the session's CPU and memory.",
    )


def _pod_security(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    level, why = match.groups()
    return Conflict(
        f"The pod security level {level} of {_namespace(fault)} forbids this: {why}.",
        hint="Leave these options out, or ask an administrator.",
    )


def _terminating(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    return Conflict(
        f"The namespace {match[1]} is being deleted; nothing new can be created in it.",
        hint="Choose another project.",
    )


def _denied(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    rule, why = match.groups()
    return Conflict(
        f"The cluster's rule {rule} refuses this: {why.rstrip('.')}.",
        hint="Change the request, or ask an administrator.",
    )


def _webhook_down(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    name, why = match.groups()
    return Unavailable(
        f"The cluster cannot check this, as its webhook {name} failed: {why}.",
        hint="Try again later. If it persists, tell an administrator of the cluster.",
    )


def _no_right(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    user, verb, resource, where = match.groups()
    place = f"in {where}" if where else "in the whole cluster"
    return NotAllowed(
        f"{user} may not {verb} {resource} {place}.",
        hint=f"Ask an administrator for the right to {verb} {resource} {place}.",
    )


def _unknown_kind(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    return Unsupported(
        f"The cluster does not have {fault.request.resource or 'this kind of objects'}.",
        hint="Ask an administrator to install it.",
    )


def _not_found(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    kind, name = match.groups()
    if kind == "namespaces":
        return NotFound(f"The namespace {name} does not exist.", hint="Choose another project.")
    return NotFound(f"{name} ({kind}) does not exist in {_namespace(fault)}.")


def _not_in_kubeconfig(fault: Fault, match: re.Match[str]) -> GpuQuotaError:
    name, path, kind = match.groups()
    return Unavailable(
        f"The kubeconfig {path} has no {kind} {name}.",
        hint="`kubectl config get-contexts` shows what it has; `c.KubernetesConfig.context` and "
        "`kubectl config use-context` choose a context.",
    )


_BY_MESSAGE: tuple[tuple[str, Meaning], ...] = (
    (r"exceeded quota: (.+?), requested: (.+), used: (.+), limited: (.+)$", _quota_exceeded),
    (r"failed quota: (.+?): must specify (.+)$", _quota_requires),
    (r'violates PodSecurity "(.+?)": (.+)$', _pod_security),
    (r"new content in namespace (\S+) because it is being terminated", _terminating),
    (r'admission webhook "(.+?)" denied the request: (.+)$', _denied),
    (r"ValidatingAdmissionPolicy '(.+?)' .*?denied request: (.+)$", _denied),
    (r'failed calling webhook "(.+?)": (.+)$', _webhook_down),
    (
        r'User "(.*?)" cannot (\S+) (?:resource|path) "(.*?)"(?:.* in the namespace "(.*?)")?',
        _no_right,
    ),
    (r"^404 page not found$|could not find the requested resource", _unknown_kind),
    (r'^(\S+) "([^"]+)" not found$', _not_found),
    (
        r"^Invalid kube-config file. Expected object with name (.+?) in (.+)/(\w+?)s list$",
        _not_in_kubeconfig,
    ),
)
"""What sentences of the server mean; these come with various statuses."""


def _no_answer(fault: Fault) -> GpuQuotaError:
    if fault.reason == "Credentials":
        return Unavailable(
            f"The credentials for the cluster cannot be loaded: {fault.message}.",
            hint="Check that kubectl works with them.",
        )
    return Unavailable(
        f"{_server(fault)} does not respond: {fault.message}.",
        hint="Try again in a moment, or check the address in the kubeconfig.",
    )


def _unauthorized(fault: Fault) -> GpuQuotaError:
    return NotAllowed(
        f"{_server(fault)} does not accept the credentials.",
        hint="Log in to the cluster again. `kubectl auth whoami` shows whether that worked.",
    )


def _forbidden(fault: Fault) -> GpuQuotaError:
    asked = fault.request
    return NotAllowed(
        f"The cluster refuses to {asked.verb or 'do this to'} {asked.resource or 'objects'} in "
        f"{_namespace(fault)}: {fault.message}.",
        hint="Ask an administrator of the cluster.",
    )


def _conflict(fault: Fault) -> GpuQuotaError:
    name = fault.request.name or "The object"
    if fault.reason == "AlreadyExists":
        return NameTaken(f"{name} already exists.", hint="Choose another name.")
    return Outdated(f"{name} has been changed by somebody else.", hint="Reload, and try again.")


def _invalid(fault: Fault) -> GpuQuotaError:
    problems = [FieldError(_field(cause.field), cause.message) for cause in fault.causes]
    return refused(*problems) if problems else InvalidFields(f"{fault.message}.")


def _unreadable(fault: Fault) -> GpuQuotaError:
    return InvalidRequest(f"The cluster does not understand this: {fault.message}.")


def _busy(fault: Fault) -> GpuQuotaError:
    return Unavailable(f"{_server(fault)} is too busy.", hint="Try again in a moment.")


def _other(fault: Fault) -> GpuQuotaError:
    if fault.status >= 500:
        return Unavailable(
            f"{_server(fault)} failed: {fault.message}.", hint="Try again in a moment."
        )
    return Conflict(f"The cluster refuses this: {fault.message}.")


_BY_STATUS: dict[int, Callable[[Fault], GpuQuotaError]] = {
    0: _no_answer,
    400: _unreadable,
    401: _unauthorized,
    403: _forbidden,
    404: lambda fault: NotFound(f"{fault.message}."),
    409: _conflict,
    410: lambda fault: Outdated(f"{fault.message}.", hint="Reload, and try again."),
    422: _invalid,
    429: _busy,
}


def _namespace(fault: Fault) -> str:
    return fault.request.namespace or "the cluster"


def _server(fault: Fault) -> str:
    return f"The API server at {fault.request.server}" if fault.request.server else "The API server"


def _field(path: str) -> str:
    """Return the field of a request, or the path itself for what is no user's choice."""
    for pattern, field in FIELDS:
        if match := re.search(pattern, path):
            return match.expand(field)
    return path
