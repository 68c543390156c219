"""A small client of an API server, for the test cluster's own objects and for tests."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import yaml

from .manifests import Manifest

SECONDS = 60.0
"""How long an answer may take."""

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"


class Refused(Exception):
    """An answer other than success: its status, the server's reason and its sentence."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(f"{status} {reason}: {message}")
        self.status = status
        self.reason = reason
        self.message = message


@dataclass(frozen=True)
class Rest:
    """A user's connection to an API server. Methods raise Refused, and OSError without answer."""

    server: str
    token: str = field(repr=False)
    tls: ssl.SSLContext = field(repr=False)
    keeps: bool = False
    """Whether connections are kept for later requests, until `close`."""
    _plurals: dict[tuple[str, str], tuple[str, bool]] = field(default_factory=dict, repr=False)
    _idle: list[http.client.HTTPSConnection] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, kubeconfig: Path, *, keeps: bool = False) -> Rest:
        """Return a connection for the current context of a kubeconfig."""
        config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
        context = _named(config, "context", config["current-context"])
        cluster = _named(config, "cluster", context["cluster"])
        user = _named(config, "user", context["user"])
        return cls(cluster["server"], user.get("token", ""), _tls(cluster, user), keeps)

    def request(
        self, method: str, path: str, body: Any = None, content: str = "application/json"
    ) -> bytes:
        """Return the body of an answer."""
        connection = self._connection(SECONDS)
        try:
            answer = self._ask(connection, method, path, body, content)
            text = answer.read()
        except BaseException:
            connection.close()
            raise
        if self.keeps and not answer.will_close:
            self._idle.append(connection)
        else:
            connection.close()
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            raise _refused(answer.status, text)
        return text

    def stream(self, path: str, **query: str) -> Iterator[Any]:
        """Yield each line of JSON of an answer until the server ends it, however long that is."""
        connection = self._connection(None)
        try:
            answer = self._ask(connection, "GET", f"{path}?{urlencode(query)}")
            if answer.status >= http.HTTPStatus.BAD_REQUEST:
                raise _refused(answer.status, answer.read())
            for line in answer:
                yield json.loads(line)
        finally:
            connection.close()

    def _connection(self, seconds: float | None) -> http.client.HTTPSConnection:
        """Return a connection that no other request uses."""
        if seconds is not None and self._idle:
            kept = self._idle.pop()
            if kept.sock and not select([kept.sock], [], [], 0)[0]:
                return kept
            kept.close()  # the server has closed it
        url = urlsplit(self.server)
        host, port = url.hostname or "", url.port or 443
        return http.client.HTTPSConnection(host, port, timeout=seconds, context=self.tls)

    def _ask(
        self,
        connection: http.client.HTTPSConnection,
        method: str,
        path: str,
        body: Any = None,
        content: str = "application/json",
    ) -> http.client.HTTPResponse:
        headers = {"Accept": "application/json", "Content-Type": content}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        sent = None if body is None else json.dumps(body)
        connection.request(method, f"{urlsplit(self.server).path}{path}", sent, headers)
        return connection.getresponse()

    def close(self) -> None:
        """Close the connections that are kept."""
        while self._idle:
            self._idle.pop().close()

    def get(self, path: str, **query: str) -> Any:
        """Return the JSON at a path."""
        return json.loads(self.request("GET", f"{path}?{urlencode(query)}" if query else path))

    def create(self, manifest: Manifest) -> Any:
        """Create an object."""
        namespace = manifest["metadata"].get("namespace", "")
        path = self.path(manifest["apiVersion"], manifest["kind"], namespace)
        return json.loads(self.request("POST", path, manifest))

    def apply(
        self, manifest: Manifest, manager: str = "test-cluster", *, dry_run: bool = False
    ) -> Any:
        """Create an object, or change it where it differs (server-side apply, forced)."""
        checked = {"dryRun": "All"} if dry_run else {}
        query = urlencode({"fieldManager": manager, "force": "true", **checked})
        return json.loads(
            self.request("PATCH", f"{self.path_of(manifest)}?{query}", manifest, APPLY)
        )

    def patch(self, path: str, changes: Mapping[str, Any]) -> Any:
        """Change an object by a merge patch."""
        return json.loads(self.request("PATCH", path, changes, MERGE))

    def delete(self, path: str, **options: Any) -> None:
        """Delete an object, if it is there; `options` are those of DeleteOptions."""
        try:
            self.request("DELETE", path, options)
        except Refused as error:
            if error.status != http.HTTPStatus.NOT_FOUND:
                raise

    def path_of(self, manifest: Manifest) -> str:
        """Return the path of an object."""
        meta = manifest["metadata"]
        return self.path(
            manifest["apiVersion"], manifest["kind"], meta.get("namespace", ""), meta["name"]
        )

    def path(self, version: str, kind: str, namespace: str = "", name: str = "") -> str:
        """Return the path of an object, or of a list. Raises KeyError for an unknown kind."""
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if (version, kind) not in self._plurals:
            for found in self.get(base)["resources"]:
                if "/" not in found["name"]:
                    self._plurals[version, found["kind"]] = found["name"], found["namespaced"]
        plural, namespaced = self._plurals[version, kind]
        scope = (
            ["namespaces", quote(namespace or "default")]
            if namespaced and (namespace or name)
            else []
        )
        return "/".join(part for part in (base, *scope, plural, quote(name)) if part)


def _named(config: Mapping[str, Any], kind: str, name: str) -> Any:
    return next(entry[kind] for entry in config[f"{kind}s"] if entry["name"] == name)


def _tls(cluster: Mapping[str, Any], user: Mapping[str, Any]) -> ssl.SSLContext:
    tls = ssl.create_default_context(cadata=_content(cluster, "certificate-authority"))
    if certificate := _content(user, "client-certificate"):
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(f"{certificate}\n{_content(user, 'client-key')}")
            file.flush()
            tls.load_cert_chain(file.name)
    return tls


def _content(entry: Mapping[str, Any], name: str) -> str:
    """Return what a kubeconfig gives as a file or, encoded, itself."""
    if data := entry.get(f"{name}-data"):
        return base64.b64decode(data).decode()
    return Path(entry[name]).read_text(encoding="utf-8") if name in entry else ""


def _refused(status: int, text: bytes) -> Refused:
    try:
        said = json.loads(text)
    except ValueError:
        return Refused(status, "", text.decode(errors="replace"))
    return Refused(status, said.get("reason", ""), said.get("message", ""))
