"""The rules of a fake API server: who may do what, by the roles of `deploy/rbac.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.kubernetes.fake_api import FakeApi

MANIFESTS = Path(__file__).parents[2] / "deploy" / "rbac.yaml"
PREFIX = "jupyter-gpuquota-"

AUTHORIZATION = "/apis/authorization.k8s.io/v1"
AUTHENTICATION = "/apis/authentication.k8s.io/v1"
REVIEWS = f"{AUTHORIZATION}/subjectaccessreviews"
OWN_REVIEWS = f"{AUTHORIZATION}/selfsubjectaccessreviews"
MYSELF = f"{AUTHENTICATION}/selfsubjectreviews"
TOKENS = f"{AUTHENTICATION}/tokenreviews"


@cache
def roles() -> dict[str, list[Mapping[str, Any]]]:
    """Return the rules of each ClusterRole, by its name without our prefix."""
    documents = yaml.safe_load_all(MANIFESTS.read_text())
    return {
        each["metadata"]["name"].removeprefix(PREFIX): each["rules"]
        for each in documents
        if each["kind"] == "ClusterRole"
    }


@dataclass
class Rbac:
    """Bindings of roles to users and groups (`group:NAME`), in a namespace or (empty) in all.

    `me` is the user of the controller's own credentials, with its groups; `tokens` are those of
    users that the server knows. `named` are the users of reviews, as they were sent.
    """

    me: tuple[str, list[str]] = ("system:serviceaccount:ops:controller", [])
    tokens: dict[str, Any] = field(default_factory=dict)
    bindings: list[tuple[str, str, str]] = field(default_factory=list)
    asked: list[tuple[str, str, str, str]] = field(default_factory=list)
    named: list[Mapping[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._roles = dict(roles())

    def bind(self, role: str, to: str, namespace: str = "") -> None:
        self.bindings.append((role, to, namespace))

    def install(self, api: FakeApi) -> None:
        """Let a fake API server answer reviews."""
        answers: dict[str, Any] = {
            REVIEWS: self._review,
            OWN_REVIEWS: self._review_me,
            MYSELF: self._myself,
            TOKENS: self._token,
        }
        api.controls.answers.update(answers)

    def allows(self, user: str, groups: list[str], asked: Mapping[str, str]) -> bool:
        subjects = {user, *(f"group:{group}" for group in groups)}
        return any(
            _matches(rule, asked)
            for role, to, namespace in self.bindings
            if to in subjects and namespace in ("", asked["namespace"])
            for rule in self._roles[role]
        )

    def _answer(self, user: str, groups: list[str], body: Mapping[str, Any]) -> dict[str, Any]:
        asked = body["spec"]["resourceAttributes"]
        kind = "/".join(part for part in (asked["resource"], asked["subresource"]) if part)
        self.asked.append((user, asked["verb"], kind, asked["namespace"]))
        return {**body, "status": {"allowed": self.allows(user, groups, asked)}}

    def _review(self, body: Mapping[str, Any]) -> dict[str, Any]:
        spec = body["spec"]
        self.named.append({key: spec[key] for key in spec if key != "resourceAttributes"})
        return self._answer(spec["user"], spec["groups"], body)

    def _review_me(self, body: Mapping[str, Any]) -> dict[str, Any]:
        assert "user" not in body["spec"]
        return self._answer(*self.me, body)

    def _myself(self, body: Mapping[str, Any]) -> dict[str, Any]:
        name, groups = self.me
        return {**body, "status": {"userInfo": {"username": name, "groups": groups}}}

    def _token(self, body: Mapping[str, Any]) -> dict[str, Any]:
        spec = body["spec"]
        status = self.tokens.get(spec["token"], {"authenticated": False, "user": {}})
        return {**body, "status": status}


def _matches(rule: Mapping[str, Any], asked: Mapping[str, str]) -> bool:
    kind = "/".join(part for part in (asked["resource"], asked["subresource"]) if part)
    return (
        asked["verb"] in rule["verbs"]
        and asked["group"] in rule["apiGroups"]
        and kind in rule["resources"]
    )
