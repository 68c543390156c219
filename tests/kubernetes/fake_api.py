"""An API server in memory: the interface of `kubernetes/api.py`, with faults on demand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

import msgspec

from jupyter_gpuquota.kubernetes.api import Change, Fault, Manifest, Query, Request, Socket
from jupyter_gpuquota.kubernetes.objects.meta import Object
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, Resource
from tests.kubernetes.fake_controls import Call, Controls, Injected
from tests.kubernetes.fake_store import Raw, Store

T = TypeVar("T", bound=Object)


class FakeApi:
    """A connection to an API server in memory, which has these namespaces at first."""

    def __init__(
        self,
        namespaces: Sequence[str] = ("team-a", "team-b"),
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.controls = Controls(Store(clock))
        self.namespace = ""
        self.user = ""
        self.groups: Sequence[str] = ()
        self.closed = False
        for name in namespaces:
            self.put(NAMESPACES, {"metadata": {"name": name}, "status": {"phase": "Active"}})

    # ── What tests do ────────────────────────────────────────────────────────────────────────────

    @property
    def calls(self) -> list[Call]:
        """The calls so far."""
        return self.controls.calls

    def put(self, resource: Resource[T], raw: Manifest) -> T:
        """Write an object with its status, as a controller or kubelet would."""
        new = _decoded(resource, self.controls.store.put(resource, raw))
        self.wake()
        return new

    def raw(self, resource: Resource[Any], namespace: str, name: str) -> Raw:
        """Return an object as JSON."""
        return self.controls.store.get(resource, namespace, name)

    def all(self, resource: Resource[Any], namespace: str = "", labels: str = "") -> list[Raw]:
        """Return all objects of a kind as JSON."""
        return self.controls.store.list(resource, namespace, labels)

    def fail(
        self,
        error: BaseException,
        verb: str = "",
        resource: str = "",
        name: str = "",
        *,
        skip: int = 0,
        times: int | None = 1,
        done: bool = False,
    ) -> Injected:
        """Raise an error in calls of a verb, kind (plural) and name; empty means any."""
        wanted = (verb, resource, name)
        injected = Injected(
            error,
            lambda call: all(
                want in ("", have)
                for want, have in zip(wanted, (call.verb, call.resource, call.name), strict=True)
            ),
            skip,
            times,
            done,
        )
        self.controls.injected.append(injected)
        return injected

    def hold(self, verb: str) -> asyncio.Event:
        """Let the answers to calls of a verb come only once the event is set."""
        return self.controls.held.setdefault(verb, asyncio.Event())

    def heal(self) -> None:
        """Inject nothing more."""
        self.controls.injected.clear()

    def stop(self) -> None:
        """Stop answering; watches break."""
        self.controls.up = False
        self.wake()

    def start(self) -> None:
        """Answer again."""
        self.controls.up = True

    def end_watches(self) -> None:
        """End all watches, as the server does every few minutes."""
        self.controls.connections += 1
        self.wake()

    def expire(self) -> None:
        """End all watches with 410, and forget old versions."""
        self.compact()
        self.controls.expirations += 1
        self.wake()

    def compact(self) -> None:
        """Forget old versions: a watch from one of them gets 410."""
        self.controls.store.compact()

    def bookmark(self) -> None:
        """Send a bookmark to every watch."""
        self.controls.store.bookmark()
        self.wake()

    def wake(self) -> None:
        """Let the watches look for changes."""
        self.controls.written.set()
        self.controls.written = asyncio.Event()

    # ── The interface ────────────────────────────────────────────────────────────────────────────

    async def get(self, resource: Resource[T], namespace: str, name: str) -> T:
        call = self._call("get", resource, namespace, name)
        store = self.controls.store
        return _decoded(
            resource, await self._do(call, lambda: store.get(resource, namespace, name))
        )

    async def list(self, resource: Resource[T], namespace: str = "", labels: str = "") -> list[T]:
        call = self._call("list", resource, namespace)
        found = await self._do(call, lambda: self.all(resource, namespace, labels))
        return [_decoded(resource, raw) for raw in found]

    async def create(
        self, resource: Resource[T], namespace: str, body: Manifest, *, dry_run: bool = False
    ) -> T:
        name = body.get("metadata", {}).get("name", "")
        call = self._call("create", resource, namespace, name, dry_run=dry_run)
        store = self.controls.store
        raw = await self._do(call, lambda: store.create(resource, namespace, body, dry_run=dry_run))
        return _decoded(resource, raw)

    async def patch(
        self,
        resource: Resource[T],
        namespace: str,
        name: str,
        body: Manifest,
        *,
        subresource: str = "",
    ) -> T:
        call = self._call("patch", resource, namespace, name, subresource)
        store = self.controls.store
        raw = await self._do(
            call,
            lambda: store.patch(resource, namespace, name, body, subresource=subresource),
        )
        return _decoded(resource, raw)

    async def apply(
        self,
        resource: Resource[T],
        namespace: str,
        name: str,
        body: Manifest,
    ) -> T:
        call = self._call("apply", resource, namespace, name)
        store = self.controls.store
        raw = await self._do(call, lambda: store.apply(resource, namespace, name, body))
        return _decoded(resource, raw)

    async def delete(
        self, resource: Resource[T], namespace: str, name: str, *, uid: str = "", version: str = ""
    ) -> None:
        call = self._call("delete", resource, namespace, name)
        store = self.controls.store
        await self._do(
            call, lambda: store.delete(resource, namespace, name, uid=uid, version=version)
        )

    async def watch(
        self, resource: Resource[T], namespace: str = "", labels: str = "", version: str = ""
    ) -> AsyncGenerator[Change[T]]:
        controls = self.controls
        call = self._call("watch", resource, namespace)
        connection, expirations = controls.connections, controls.expirations
        first, seen = await self._do(
            call, lambda: self._begin(resource, namespace, labels, version)
        )
        for raw in first:
            yield Change("ADDED", _decoded(resource, raw), raw["metadata"]["resourceVersion"])
        yield Change("BOOKMARK", None, str(seen), initial=not version)
        while True:
            written = controls.written
            self._check(call)
            if seen < controls.store.compacted or expirations != controls.expirations:
                raise _too_old(seen, controls.store.compacted)
            for at, kind, raw in list(
                controls.store.since(seen, resource.path(), namespace, labels)
            ):
                item = None if raw is None else _decoded(resource, raw)
                yield Change(cast("Any", kind), item, str(at))
            seen = controls.store.version
            if connection != controls.connections:
                return
            await written.wait()

    async def read(self, path: str, query: Query | None = None) -> bytes:
        if (raw := self.controls.store.at(path)) is not None:
            return msgspec.json.encode(await self._do(Call("read", path), lambda: raw))
        return await self._answer("read", path, query or {})

    async def ask(self, path: str, body: Manifest) -> bytes:
        return await self._answer("ask", path, body)

    async def stream(self, path: str, query: Query | None = None) -> AsyncGenerator[bytes]:
        call = Call("stream", path, user=self.user)
        for piece in await self._do(call, lambda: _found(self.controls.streams, path)):
            yield piece

    async def websocket(
        self, path: str, query: Sequence[tuple[str, str]], protocols: Sequence[str]
    ) -> Socket:
        call = Call("websocket", path, user=self.user)
        opened = await self._do(call, lambda: _found(self.controls.sockets, path))
        return opened(query, protocols)

    def acting_as(self, user: str, groups: Sequence[str] = ()) -> FakeApi:
        other = FakeApi(())
        other.controls = self.controls
        other.user, other.groups = user, groups
        return other

    async def close(self) -> None:
        self.closed = True

    # ── Inside ───────────────────────────────────────────────────────────────────────────────────

    def _call(
        self,
        verb: str,
        resource: Resource[Any],
        namespace: str = "",
        name: str = "",
        subresource: str = "",
        *,
        dry_run: bool = False,
    ) -> Call:
        plural = f"{resource.plural}/{subresource}" if subresource else resource.plural
        return Call(verb, plural, namespace, name, self.user, dry_run)

    async def _do(self, call: Call, action: Callable[[], Any]) -> Any:
        controls = self.controls
        controls.calls.append(call)
        await asyncio.sleep(controls.latency)
        self._check(call)
        for injected in controls.injected:
            if injected.meets(call, done=False):
                raise injected.error
        try:
            result = action()
        except Fault as fault:
            fault.request = _request(call)
            raise
        finally:
            self.wake()
        for injected in controls.injected:
            if injected.meets(call, done=True):
                raise injected.error
        if call.verb in controls.held:
            await controls.held[call.verb].wait()
        return result

    def _check(self, call: Call) -> None:
        if not self.controls.up:
            raise Fault(0, "", "connection refused", request=_request(call))
        if not self.controls.allowed(call):
            raise _forbidden(call)

    def _begin(
        self, resource: Resource[Any], namespace: str, labels: str, version: str
    ) -> tuple[list[Raw], int]:
        store = self.controls.store
        if not version:
            return store.list(resource, namespace, labels), store.version
        if int(version) < store.compacted:
            raise _too_old(int(version), store.compacted)
        return [], int(version)

    async def _answer(self, verb: str, path: str, given: Any) -> bytes:
        call = Call(verb, path, user=self.user)
        answer = await self._do(call, lambda: _found(self.controls.answers, path))
        answer = answer(given) if callable(answer) else answer
        return answer if isinstance(answer, bytes) else msgspec.json.encode(answer)


def _found(answers: Mapping[str, Any], path: str) -> Any:
    if path not in answers:
        raise Fault(404, "NotFound", "the server could not find the requested resource")
    return answers[path]


def _decoded(resource: Resource[T], raw: Manifest) -> T:
    return msgspec.json.decode(msgspec.json.encode(raw), type=resource.record)


def _request(call: Call) -> Request:
    return Request(call.verb, call.resource, call.namespace, call.name, "https://fake.test")


def _too_old(version: int, oldest: int) -> Fault:
    return Fault(410, "Expired", f"too old resource version: {version} ({oldest})")


def _forbidden(call: Call) -> Fault:
    name = f' "{call.name}"' if call.name else ""
    where = f'in the namespace "{call.namespace}"' if call.namespace else "at the cluster scope"
    verb = "patch" if call.verb == "apply" else call.verb
    why = f'User "{call.user}" cannot {verb} resource "{call.resource}" in API group "" {where}'
    return Fault(
        403, "Forbidden", f"{call.resource}{name} is forbidden: {why}", request=_request(call)
    )
