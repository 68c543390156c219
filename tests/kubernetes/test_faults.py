"""What the API server's failures say to users. The messages are those of a real server."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.errors import (
    Conflict,
    GpuQuotaError,
    InvalidFields,
    InvalidRequest,
    NameTaken,
    NotAllowed,
    NotFound,
    Outdated,
    Unavailable,
    Unsupported,
)
from jupyter_gpuquota.kubernetes.api import Cause, Fault, Request
from jupyter_gpuquota.kubernetes.faults import error, translated
from jupyter_gpuquota.model.sessions import SessionRequest

ASKED = Request("create", "statefulsets.apps", "team-a", "gpu-exp-1", "https://10.0.0.1:6443")
PODS = 'pods "a" is forbidden: '

TABLE = [
    (
        (
            0,
            "Credentials",
            "Invalid kube-config file. Expected object with name prod in /home/ana/.kube/config/"
            "contexts list",
        ),
        Unavailable,
        "The kubeconfig /home/ana/.kube/config has no context prod.",
    ),
    (
        (
            403,
            "Forbidden",
            PODS + "exceeded quota: gpus, requested: requests.nvidia.com/gpu=2, "
            "used: requests.nvidia.com/gpu=0, limited: requests.nvidia.com/gpu=1",
        ),
        Conflict,
        "The resource quota gpus of team-a is used up: requested requests.nvidia.com/gpu=2, "
        "used requests.nvidia.com/gpu=0, limit requests.nvidia.com/gpu=1.",
    ),
    (
        (403, "Forbidden", PODS + "failed quota: gpus: must specify requests.cpu for: m"),
        Conflict,
        "The resource quota gpus of team-a requires requests.cpu for: m.",
    ),
    (
        (
            403,
            "Forbidden",
            PODS + 'violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)',
        ),
        Conflict,
        "The pod security level restricted:latest of team-a forbids this: host namespaces "
        "(hostNetwork=true).",
    ),
    (
        (
            403,
            "Forbidden",
            'secrets "z" is forbidden: unable to create new content in namespace '
            "team-a because it is being terminated",
        ),
        Conflict,
        "The namespace team-a is being deleted; nothing new can be created in it.",
    ),
    (
        (
            403,
            "Forbidden",
            'admission webhook "vstatefulset.kb.io" denied the request: '
            "spec.template: Invalid value: field is immutable",
        ),
        Conflict,
        "The cluster's rule vstatefulset.kb.io refuses this: spec.template: Invalid value: field "
        "is immutable.",
    ),
    (
        (
            422,
            "Invalid",
            "statefulsets.apps \"a\" is forbidden: ValidatingAdmissionPolicy 'images' "
            "with binding 'all' denied request: image must come from registry.example",
        ),
        Conflict,
        "The cluster's rule images refuses this: image must come from registry.example.",
    ),
    (
        (
            500,
            "InternalError",
            'Internal error occurred: failed calling webhook "m.kb.io": failed '
            "to call webhook: dial tcp 127.0.0.1:1: connect: connection refused",
        ),
        Unavailable,
        "The cluster cannot check this, as its webhook m.kb.io failed: failed to call webhook: "
        "dial tcp 127.0.0.1:1: connect: connection refused.",
    ),
    (
        (
            403,
            "Forbidden",
            'statefulsets.apps is forbidden: User "alice" cannot create resource '
            '"statefulsets" in API group "apps" in the namespace "team-b"',
        ),
        NotAllowed,
        "alice may not create statefulsets in team-b.",
    ),
    (
        (
            403,
            "Forbidden",
            'pods is forbidden: User "alice" cannot list resource "pods" in API '
            'group "" at the cluster scope',
        ),
        NotAllowed,
        "alice may not list pods in the whole cluster.",
    ),
    (
        (403, "Forbidden", 'forbidden: User "system:anonymous" cannot get path "/version"'),
        NotAllowed,
        "system:anonymous may not get /version in the whole cluster.",
    ),
    (
        (
            403,
            "Forbidden",
            PODS + "error looking up service account team-a/nosuch: serviceaccount "
            '"nosuch" not found',
        ),
        NotAllowed,
        'The cluster refuses to create statefulsets.apps in team-a: pods "a" is forbidden: error '
        'looking up service account team-a/nosuch: serviceaccount "nosuch" not found.',
    ),
    (
        (401, "Unauthorized", "Unauthorized"),
        NotAllowed,
        "The API server at https://10.0.0.1:6443 does not accept the credentials.",
    ),
    ((404, "", "404 page not found"), Unsupported, "The cluster does not have statefulsets.apps."),
    (
        (404, "NotFound", "the server could not find the requested resource"),
        Unsupported,
        "The cluster does not have statefulsets.apps.",
    ),
    (
        (404, "NotFound", 'namespaces "team-x" not found'),
        NotFound,
        "The namespace team-x does not exist.",
    ),
    (
        (404, "NotFound", 'secrets "nosuch" not found'),
        NotFound,
        "nosuch (secrets) does not exist in team-a.",
    ),
    (
        (409, "AlreadyExists", 'statefulsets.apps "gpu-exp-1" already exists'),
        NameTaken,
        "gpu-exp-1 already exists.",
    ),
    (
        (
            409,
            "Conflict",
            'Operation cannot be fulfilled on secrets "a": the object has been '
            "modified; please apply your changes to the latest version and try again",
        ),
        Outdated,
        "gpu-exp-1 has been changed by somebody else.",
    ),
    (
        (410, "Expired", "The provided continue parameter is too old"),
        Outdated,
        "The provided continue parameter is too old.",
    ),
    (
        (400, "BadRequest", "found '==', expected: ',' or 'end of string'"),
        InvalidRequest,
        "The cluster does not understand this: found '==', expected: ',' or 'end of string'.",
    ),
    (
        (429, "TooManyRequests", "The server is currently unable to handle the request"),
        Unavailable,
        "The API server at https://10.0.0.1:6443 is too busy.",
    ),
    (
        (503, "ServiceUnavailable", "apiserver is shutting down"),
        Unavailable,
        "The API server at https://10.0.0.1:6443 failed: apiserver is shutting down.",
    ),
    (
        (0, "NoConnection", "Connection refused"),
        Unavailable,
        "The API server at https://10.0.0.1:6443 does not respond: Connection refused.",
    ),
    (
        (0, "Credentials", "Invalid kube-config file. Expected key current-context in kube-config"),
        Unavailable,
        "The credentials for the cluster cannot be loaded: Invalid kube-config file. Expected key "
        "current-context in kube-config.",
    ),
    ((405, "MethodNotAllowed", "no"), Conflict, "The cluster refuses this: no."),
    ((422, "Invalid", "no"), InvalidFields, "no."),
]


@pytest.mark.parametrize(("answer", "kind", "message"), TABLE)
def test_each_failure_has_an_error(
    answer: tuple[int, str, str], kind: type[GpuQuotaError], message: str
):
    found = error(Fault(*answer, request=ASKED))
    assert type(found) is kind
    assert found.message == message


def test_a_lacking_right_is_named_in_the_hint():
    message = (
        'statefulsets.apps is forbidden: User "alice" cannot create resource "statefulsets" '
        'in API group "apps" in the namespace "team-b"'
    )
    assert error(Fault(403, "Forbidden", message)).hint == (
        "Ask an administrator for the right to create statefulsets in team-b."
    )


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("spec.template.spec.containers[0].image", "environment"),
        ("spec.template.spec.containers[0].env[3].name", "env"),
        ("spec.template.spec.containers[0].ports[1].containerPort", "ports[1]"),
        ("spec.template.spec.containers[0].resources.requests[cpu]", "cpu"),
        ("spec.template.spec.containers[0].resources.limits[memory]", "memory_limit"),
        ("spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]", "gpu"),
        ("spec.template.spec.containers[0].volumeMounts[1].mountPath", "volumes"),
        ("spec.template.spec.tolerations[0].effect", "tolerations"),
        ("metadata.name", "name"),
        ("spec.template.metadata.labels", "spec.template.metadata.labels"),
    ],
)
def test_invalid_fields_are_named_as_in_requests(path: str, field: str):
    fault = Fault(422, "Invalid", "…", causes=[Cause(path, "FieldValueRequired", "Required value")])
    found = error(fault)
    assert isinstance(found, InvalidFields)
    assert [(each.field, each.message) for each in found.fields] == [(field, "Required value")]
    known = {*SessionRequest.__struct_fields__, path}
    assert field.partition("[")[0] in known


def test_faults_become_errors_where_it_is_said():
    fault = Fault(409, "AlreadyExists", "…", request=ASKED)
    with pytest.raises(NameTaken) as caught, translated():
        raise fault
    assert caught.value.__cause__ is fault


def test_an_object_without_a_name_is_named_as_such():
    for reason, said in [("AlreadyExists", "The object already exists."), ("Conflict", "The obj")]:
        assert str(error(Fault(409, reason, "…"))).startswith(said)
