"""The objects behind the fake API server, with the rules by which the real one keeps them."""

from __future__ import annotations

import copy
import itertools
import secrets
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from jupyter_gpuquota.kubernetes.api import Cause, Fault, Manifest
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, Resource
from tests.kubernetes.merging import merged, removals
from tests.kubernetes.selectors import matches

Raw = dict[str, Any]
Key = tuple[str, str, str]
"""Path of all objects of the kind, namespace, name."""


@dataclass(frozen=True)
class Entry:
    """One write: the object before and after it."""

    version: int
    path: str
    old: Raw | None
    new: Raw | None


def title(resource: Resource[Any]) -> str:
    """Return a kind as the server's sentences name it."""
    return f"{resource.plural}.{resource.group}" if resource.group else resource.plural


class Store:
    """All objects, as JSON. Nothing here waits."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.clock = clock
        self.objects: dict[Key, Raw] = {}
        self.history: list[Entry] = []
        self.version = 0
        self.compacted = 0
        self._applied: dict[Key, Manifest] = {}

    def get(self, resource: Resource[Any], namespace: str, name: str) -> Raw:
        try:
            return self.objects[_key(resource, namespace, name)]
        except KeyError:
            raise Fault(404, "NotFound", f'{title(resource)} "{name}" not found') from None

    def at(self, path: str) -> Raw | None:
        """Return the object at a path."""
        for (kind, namespace, name), raw in self.objects.items():
            base, _, plural = kind.rpartition("/")
            place = f"/namespaces/{namespace}" if namespace else ""
            if path == f"{base}{place}/{plural}/{name}":
                return raw
        return None

    def list(self, resource: Resource[Any], namespace: str = "", labels: str = "") -> list[Raw]:
        return [
            raw
            for (path, place, _), raw in sorted(self.objects.items())
            if path == resource.path()
            and namespace in ("", place)
            and matches(labels, _meta(raw).get("labels", {}))
        ]

    def create(
        self, resource: Resource[Any], namespace: str, body: Manifest, *, dry_run: bool = False
    ) -> Raw:
        raw = copy.deepcopy(dict(body))
        raw.pop("status", None)
        meta = raw["metadata"] = dict(raw.get("metadata", {}))
        if not meta.get("name") and (prefix := meta.get("generateName")):
            meta["name"] = prefix + secrets.token_hex(3)[:5]
        if not meta.get("name"):
            cause = Cause(
                "metadata.name",
                "FieldValueRequired",
                "Required value: name or generateName is required",
            )
            raise Fault(
                422,
                "Invalid",
                f'{resource.kind} "" is invalid: metadata.name: {cause.message}',
                causes=[cause],
            )
        key = _key(resource, namespace, meta["name"])
        self._check_namespace(resource, namespace, meta["name"])
        if key in self.objects:
            raise Fault(409, "AlreadyExists", f'{title(resource)} "{meta["name"]}" already exists')
        meta |= {"uid": str(uuid.uuid4()), "generation": 1, "creationTimestamp": self._now()}
        if resource.namespaced:
            meta["namespace"] = namespace
        raw |= {"apiVersion": resource.api_version, "kind": resource.kind}
        return raw if dry_run else self._write(key, raw)

    def patch(
        self,
        resource: Resource[Any],
        namespace: str,
        name: str,
        body: Manifest,
        *,
        subresource: str = "",
    ) -> Raw:
        old = self.get(resource, namespace, name)
        _check_preconditions(resource, old, body.get("metadata", {}))
        if subresource:
            new = {**old, subresource: merged(old, body).get(subresource, {})}
        else:
            new = merged(old, {key: value for key, value in body.items() if key != "status"})
        before, after = (_content(raw) for raw in (old, new))
        generation = _meta(old)["generation"] + (before != after)
        new["metadata"] = {**new["metadata"], "generation": generation}
        return self._write(_key(resource, namespace, name), new)

    def apply(
        self,
        resource: Resource[Any],
        namespace: str,
        name: str,
        body: Manifest,
    ) -> Raw:
        key = _key(resource, namespace, name)
        body = {**body, "metadata": {**body.get("metadata", {}), "name": name}}
        before = self._applied.get(key, {})
        self._applied[key] = copy.deepcopy(dict(body))
        if key not in self.objects:
            return self.create(resource, namespace, body)
        patch = merged(removals(before, body), body, keep_null=True)
        return self.patch(resource, namespace, name, patch)

    def delete(
        self,
        resource: Resource[Any],
        namespace: str,
        name: str,
        *,
        uid: str = "",
        version: str = "",
    ) -> None:
        raw = self.get(resource, namespace, name)
        expected = {"uid": uid, "resourceVersion": version}
        _check_preconditions(
            resource, raw, {key: value for key, value in expected.items() if value}
        )
        self._delete(_key(resource, namespace, name), raw)
        self._collect_garbage()

    def put(self, resource: Resource[Any], raw: Manifest) -> Raw:
        """Write an object as it is, with its status, as a controller or kubelet would."""
        raw = copy.deepcopy(dict(raw))
        meta = raw["metadata"]
        key = _key(resource, meta.get("namespace", ""), meta["name"])
        old = self.objects.get(key)
        kept = _meta(old) if old else {"generation": 1, "creationTimestamp": self._now()}
        kept.setdefault("uid", str(uuid.uuid4()))
        for field in ("uid", "generation", "creationTimestamp"):
            meta.setdefault(field, kept[field])
        return self._write(key, raw)

    def compact(self) -> None:
        """Forget the history, as etcd does: older versions are gone."""
        self.compacted = self.version
        self.history.clear()

    def since(
        self, version: int, path: str, namespace: str, labels: str
    ) -> Iterator[tuple[int, str, Raw | None]]:
        """Yield version, type and object of what happened to matching objects after a version."""
        start = self.version if not self.history else self.history[0].version - 1
        for entry in itertools.islice(self.history, max(0, version - start), None):
            if entry.path == "":
                yield entry.version, "BOOKMARK", None
            elif entry.path == path:
                was, now = (_seen(raw, namespace, labels) for raw in (entry.old, entry.new))
                if now:
                    yield entry.version, "MODIFIED" if was else "ADDED", entry.new
                elif was and (last := entry.new or entry.old):
                    gone = {**_meta(last), "resourceVersion": str(entry.version)}
                    yield entry.version, "DELETED", {**last, "metadata": gone}

    def bookmark(self) -> None:
        """Send a bookmark to every watch."""
        self._record("", None, None)

    def _write(self, key: Key, raw: Raw) -> Raw:
        old = self.objects.get(key)
        if old is not None and _versionless(old) == _versionless(raw):
            return old
        meta = raw["metadata"]
        if meta.get("deletionTimestamp") and not meta.get("finalizers"):
            self._remove(key)
            self._collect_garbage()
            return raw
        if key[0] == NAMESPACES.path():
            meta["labels"] = {"kubernetes.io/metadata.name": key[2], **meta.get("labels", {})}
        new = {**raw, "metadata": {**meta, "resourceVersion": str(self.version + 1)}}
        self.objects[key] = new
        self._record(key[0], old, new)
        self._collect_garbage()
        return new

    def _record(self, path: str, old: Raw | None, new: Raw | None) -> None:
        self.version += 1
        self.history.append(Entry(self.version, path, old, new))

    def _delete(self, key: Key, raw: Raw) -> None:
        if _meta(raw).get("finalizers"):
            self._write(key, {**raw, "metadata": {**_meta(raw), "deletionTimestamp": self._now()}})
        else:
            self._remove(key)

    def _remove(self, key: Key) -> None:
        old = self.objects.pop(key)
        self._applied.pop(key, None)
        self._record(key[0], old, None)
        if key[0] == NAMESPACES.path():
            for inner, raw in [(k, raw) for k, raw in self.objects.items() if k[1] == key[2]]:
                self._delete(inner, raw)

    def _collect_garbage(self) -> None:
        """Delete what is owned only by objects that do not exist."""
        uids = {_meta(raw)["uid"] for raw in self.objects.values()}
        for key, raw in list(self.objects.items()):
            owners = _meta(raw).get("ownerReferences", [])
            owned = not owners or any(owner["uid"] in uids for owner in owners)
            if not owned and not _meta(raw).get("deletionTimestamp"):
                self._delete(key, raw)
                return self._collect_garbage()
        return None

    def _check_namespace(self, resource: Resource[Any], namespace: str, name: str) -> None:
        if not resource.namespaced:
            return
        if _meta(self.get(NAMESPACES, "", namespace)).get("deletionTimestamp"):
            why = (
                f"unable to create new content in namespace {namespace} "
                "because it is being terminated"
            )
            raise Fault(
                403,
                "Forbidden",
                f'{title(resource)} "{name}" is forbidden: {why}',
                causes=[
                    Cause(
                        "metadata.namespace",
                        "NamespaceTerminating",
                        f"namespace {namespace} is being terminated",
                    )
                ],
            )

    def _now(self) -> str:
        return self.clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _key(resource: Resource[Any], namespace: str, name: str) -> Key:
    return resource.path(), namespace if resource.namespaced else "", name


def _meta(raw: Mapping[str, Any]) -> Raw:
    meta: Raw = raw["metadata"]
    return meta


def _content(raw: Raw) -> Raw:
    return {key: value for key, value in raw.items() if key not in ("metadata", "status")}


def _versionless(raw: Raw) -> Raw:
    return {**raw, "metadata": {**raw["metadata"], "resourceVersion": ""}}


def _seen(raw: Raw | None, namespace: str, labels: str) -> bool:
    if raw is None:
        return False
    meta = _meta(raw)
    return namespace in ("", meta.get("namespace")) and matches(labels, meta.get("labels", {}))


def _check_preconditions(resource: Resource[Any], raw: Raw, expected: Mapping[str, Any]) -> None:
    meta = _meta(raw)
    about = f'Operation cannot be fulfilled on {title(resource)} "{meta["name"]}": '
    if expected.get("uid", meta["uid"]) != meta["uid"]:
        why = (
            f"the UID in the precondition ({expected['uid']}) does not match the UID in record "
            f"({meta['uid']}). The object might have been deleted and then recreated"
        )
        raise Fault(409, "Conflict", about + why)
    if expected.get("resourceVersion", meta["resourceVersion"]) != meta["resourceVersion"]:
        why = "the object has been modified; please apply your changes to the latest version"
        raise Fault(409, "Conflict", f"{about}{why} and try again")
