"""Objects of an API server, read and written over any transport."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from ..api import Change, Fault, Manifest, Query, Request
from ..labels import MANAGER
from ..objects.meta import Object
from ..resources import Resource
from .caller import Caller
from .decoding import Page, change, decoded, lines, page_of
from .http import APPLY_PATCH, JSON, MERGE_PATCH, Call, Method, pairs

T = TypeVar("T", bound=Object)

PAGE = 500
"""Objects on a page of a list."""
SILENCE = 150.0
"""Seconds of silence after which a watch counts as lost; bookmarks come every minute."""
WATCH_LASTS = (240, 360)
"""A watch ends after a time between these seconds, so that not all watches end at once."""
LIST_BY_WATCH = {
    "sendInitialEvents": "true",
    "resourceVersionMatch": "NotOlderThan",
}
"""https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists"""


@dataclass(frozen=True, slots=True)
class RestObjects:
    """The objects of one API server."""

    caller: Caller

    async def get(self, resource: Resource[T], namespace: str, name: str) -> T:
        """Return an object."""
        about = self._about("get", resource, namespace, name)
        answer = await self.caller.send(Call("GET", _object_path(resource, about), about=about))
        found: T = decoded(resource.record, answer.body, about)
        return found

    async def list(self, resource: Resource[T], namespace: str = "", labels: str = "") -> list[T]:
        """Return the objects of a namespace, or of all, that match a label selector."""
        found = await self._list(resource, namespace, labels)
        return list(found.items)

    async def create(
        self, resource: Resource[T], namespace: str, body: Manifest, *, dry_run: bool = False
    ) -> T:
        """Create an object."""
        name = body.get("metadata", {}).get("name", "")
        about = self._about("create", resource, namespace, name)
        path = resource.path(namespace)
        return await self._write("POST", resource, path, body, about, dry_run=dry_run)

    async def patch(
        self,
        resource: Resource[T],
        namespace: str,
        name: str,
        body: Manifest,
        *,
        subresource: str = "",
    ) -> T:
        """Change an object by a JSON merge patch, of this `metadata.uid` only if it names one."""
        about = self._about("patch", resource, namespace, name)
        path = _object_path(resource, about, subresource)
        return await self._write("PATCH", resource, path, body, about, MERGE_PATCH)

    async def apply(
        self,
        resource: Resource[T],
        namespace: str,
        name: str,
        body: Manifest,
    ) -> T:
        """Create or change an object by server-side apply, with our field manager, forced."""
        about = self._about("patch", resource, namespace, name)
        path = _object_path(resource, about)
        whole = {"apiVersion": resource.api_version, "kind": resource.kind, **body}
        whole["metadata"] = {**body.get("metadata", {}), "name": name}
        return await self._write("PATCH", resource, path, whole, about, APPLY_PATCH)

    async def delete(
        self, resource: Resource[T], namespace: str, name: str, *, uid: str = "", version: str = ""
    ) -> None:
        """Delete an object, and in the background what it owns.

        With `uid` only that one, with `version` only in this version.
        """
        about = self._about("delete", resource, namespace, name)
        expected = {"uid": uid, "resourceVersion": version}
        preconditions = {field: value for field, value in expected.items() if value}
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            **({"preconditions": preconditions} if preconditions else {}),
        }
        body = msgspec.json.encode(options)
        await self.caller.send(
            Call("DELETE", _object_path(resource, about), body=body, about=about)
        )

    async def watch(
        self, resource: Resource[T], namespace: str = "", labels: str = "", version: str = ""
    ) -> AsyncGenerator[Change[T]]:
        """Yield changes since a version; without one, first all objects as `ADDED`.

        These come over the watch, else from a list where the server refuses the former, as older
        servers and some extensions do.
        """
        query = {} if version else LIST_BY_WATCH
        try:
            async with aclosing(self._watch(resource, namespace, labels, version, query)) as found:
                async for item in found:
                    yield item
        except Fault as fault:
            if version or fault.status not in (400, 422):
                raise
        else:
            return
        page = await self._list(resource, namespace, labels)
        for each in page.items:
            yield Change("ADDED", each, each.metadata.resource_version)
        version = page.metadata.resource_version
        yield Change("BOOKMARK", None, version, initial=True)
        async with aclosing(self._watch(resource, namespace, labels, version, {})) as found:
            async for item in found:
                yield item

    async def _list(self, resource: Resource[T], namespace: str, labels: str) -> Page[T]:
        """Return all pages as one."""
        about = self._about("list", resource, namespace)
        selected = {"labelSelector": labels} if labels else {}
        query = {**selected, "limit": str(PAGE)}
        found: Sequence[T] = ()
        while True:
            call = Call("GET", resource.path(namespace), pairs(query), about=about)
            try:
                answer = await self.caller.send(call)
            except Fault as fault:
                if fault.status != 410 or "limit" not in query:
                    raise
                # The pages took so long that their version is gone: all at once, then.
                found, query = (), selected
                continue
            page = page_of(resource.record, answer.body, about)
            found = [*found, *page.items]
            if not page.metadata.continue_:
                return Page(metadata=page.metadata, items=found)
            query = {**query, "continue": page.metadata.continue_}

    async def _watch(
        self,
        resource: Resource[T],
        namespace: str,
        labels: str,
        version: str,
        query: Query,
    ) -> AsyncGenerator[Change[T]]:
        about = self._about("watch", resource, namespace)
        whole = {
            "watch": "1",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(random.randint(*WATCH_LASTS)),  # noqa: S311
            **query,
            **({"labelSelector": labels} if labels else {}),
            **({"resourceVersion": version} if version else {}),
        }
        call = Call("GET", resource.path(namespace), pairs(whole), about=about, idle=SILENCE)
        async with aclosing(self.caller.stream(call)) as pieces:
            await anext(pieces)  # Empty: the server has accepted.
            if version:
                yield Change("BOOKMARK", None, version)
            async with aclosing(lines(pieces)) as found:
                async for line in found:
                    yield change(resource.record, line, about)

    async def _write(
        self,
        method: Method,
        resource: Resource[T],
        path: str,
        body: Manifest,
        about: Request,
        content_type: str = JSON,
        *,
        dry_run: bool = False,
    ) -> T:
        query = {"fieldManager": MANAGER, **({"dryRun": "All"} if dry_run else {})}
        if content_type == APPLY_PATCH:
            query["force"] = "true"
        call = Call(method, path, pairs(query), msgspec.json.encode(body), content_type, (), about)
        answer = await self.caller.send(call)
        new: T = decoded(resource.record, answer.body, about)
        return new

    def _about(
        self, verb: str, resource: Resource[Any], namespace: str = "", name: str = ""
    ) -> Request:
        group = f".{resource.group}" if resource.group else ""
        server = self.caller.transport.server
        return Request(verb, resource.plural + group, namespace, name, server)


def _object_path(resource: Resource[Any], about: Request, subresource: str = "") -> str:
    """Return the path of an object; a name that changes what the path means is refused.

    Without a name it would be the path of all objects.
    """
    if about.name in ("", ".", "..") or about.namespace in (".", ".."):
        raise Fault(400, "BadRequest", f"{about.name!r} cannot be a name", request=about)
    return resource.path(about.namespace, about.name, subresource)
