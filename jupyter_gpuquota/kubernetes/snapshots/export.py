"""Exporting snapshots: the pod of a Job reads the copies, and they are streamed to the client.

The claims of the pod are filled from the copies. The Job is created first, and owns the claims:
deleting it removes them. After a kill the next controller does that, or its deadline.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from ...control.inside import carrying
from ...core.snapshots import identity
from ...errors import Conflict, Damaged, GpuQuotaError, Unavailable
from ...model.datasets.jobs import Job
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.snapshots import Snapshot, SnapshotFiles
from ...store.spawn import new_id
from ..api import Api
from ..builders.copy_reader import copy_reader, name_of
from ..builders.helper_pod import DataJobSettings
from ..faults import translated
from ..labels import COPY_READER
from ..objects.pods import Pod
from ..programs import pod_program
from ..resources import JOBS, PODS
from ..state.seen import FINISHED, is_running
from .claims import Restorer, wanted_of
from .copies import Copies
from .order import Patience
from .ways import deleted

_QUIET = 10.0
"""Seconds after which an empty part is sent, so that the connection is not idle."""
_ARCHIVE = ("kubernetes.snapshots.archive",)
_log = logging.getLogger(__name__)


class Exporting:
    """Streams the copies of snapshots. A client that goes away ends it, and the pod goes."""

    def __init__(self, copies: Copies, reader: CopyReader, quiet: float = _QUIET) -> None:
        self._copies = copies
        self._reader = reader
        self._quiet = quiet

    async def files(
        self, snapshot: Snapshot, manifest: Manifest, user: str
    ) -> AsyncGenerator[SnapshotFiles]:
        """Yield an archive in parts; the last part has the job that is done, and no data.

        Raises Conflict for a snapshot without copies, Damaged if some are gone, NotAllowed,
        Unavailable.
        """
        if not any(part.handle for part in manifest.volumes):
            raise Conflict("The snapshot has no files.", hint="Its manifest says what it has.")
        if missing := await self._copies.missing(manifest):
            raise Damaged(f"The cluster no longer has the copies of: {', '.join(missing)}.")
        job, started, size = new_id(), datetime.now(UTC), 0
        yield SnapshotFiles()
        async with aclosing(_kept_alive(self._reader.archive(manifest, job), self._quiet)) as parts:
            async for part in parts:
                size += len(part)
                yield SnapshotFiles(data=part)
        yield SnapshotFiles(
            job=Job(
                id=job,
                kind="restore",
                version=snapshot.id,
                user=user,
                state="done",
                started=started,
                updated=datetime.now(UTC),
                done=size,
                size=size,
            )
        )


async def _kept_alive(source: AsyncGenerator[bytes], quiet: float) -> AsyncGenerator[bytes]:
    """Yield what a source does, and nothing at times while it is silent; the source is closed."""
    following: asyncio.Future[bytes] | None = None
    try:
        while True:
            following = asyncio.ensure_future(anext(source, b""))
            while not following.done():
                await asyncio.wait({following}, timeout=quiet)
                if not following.done():
                    yield b""
            if not (part := following.result()):
                return
            yield part
    finally:
        if following:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        await source.aclose()


class CopyReader:
    """Reads copies on one cluster; pods have the image of `settings`, else that of the session."""

    def __init__(
        self, api: Api, restorer: Restorer, settings: DataJobSettings, patience: Patience
    ) -> None:
        self._api = api
        self._restorer = restorer
        self._settings = settings
        self._patience = patience
        self._active: set[str] = set()

    async def archive(self, manifest: Manifest, reading: str) -> AsyncGenerator[bytes]:
        """Yield a tar archive with each copied volume at its path; without an error, it is whole.

        `reading` is an id that was never used. Raises NotFound, NotAllowed, Unavailable, and others
        that the cluster has for claims.
        """
        paths = {each.volume: each.path.strip("/") or each.volume for each in manifest.volumes}
        wanted = wanted_of(manifest, f"read-{reading}")
        words = [word for n, each in enumerate(wanted) for word in (str(n), paths[each.origin])]
        command = carrying.command(_ARCHIVE, *words)
        async with self._pod(manifest, reading) as pod:
            with translated():
                async with aclosing(pod_program.binary_output(self._api, pod, command)) as output:
                    async for part in output:
                        yield part

    @asynccontextmanager
    async def _pod(self, manifest: Manifest, reading: str) -> AsyncIterator[Pod]:
        """Let a pod run that mounts claims with the content of the copies."""
        wanted, namespace = wanted_of(manifest, f"read-{reading}"), manifest.project
        image = self._settings.image or manifest.environment.image
        settings = replace(self._settings, image=image)
        claims = [each.name for each in wanted]
        body = copy_reader(reading, namespace, claims, settings)
        self._active.add(reading)
        try:
            with translated():
                job = await self._api.create(JOBS, namespace, body)
            digest = identity.owner_hash(manifest.owner)
            await self._restorer.make(wanted, reading, "", digest, job)
            yield await self._running(namespace, reading)
        finally:
            await self._remove(namespace, reading)
            self._active.discard(reading)

    async def remove_left(self, namespaces: Iterable[str]) -> None:
        """Delete Jobs that no reading needs: of a controller that was killed, or could not do it.

        Raises NotAllowed, Unavailable.
        """
        with translated():
            for namespace in namespaces:
                for job in await self._api.list(JOBS, namespace, COPY_READER):
                    if job.metadata.labels[COPY_READER] not in self._active:
                        await deleted(self._api, JOBS, *job.key, uid=job.metadata.uid)

    async def _running(self, namespace: str, reading: str) -> Pod:
        """Return the pod once it runs. Raises Unavailable."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience.ready
        while True:
            with translated():
                pods = await self._api.list(PODS, namespace, f"{COPY_READER}={reading}")
            pod = next((each for each in pods if is_running(each)), None)
            if pod:
                return pod
            ended = any(each.status.phase in FINISHED for each in pods)
            if ended or loop.time() >= deadline:
                raise Unavailable(
                    f"The pod that reads the copies does not run: {_why(pods)}.",
                    hint="It needs python3 in its image, room in the storage quota, and a node.",
                )
            await asyncio.sleep(self._patience.pause)

    async def _remove(self, namespace: str, reading: str) -> None:
        """Delete the Job, and so its pod and claims; the cluster does it if this cannot."""
        try:
            with translated():
                await deleted(self._api, JOBS, namespace, name_of(reading))
        except GpuQuotaError as error:
            _log.warning("The Job %s stays until its deadline: %s", name_of(reading), error)


def _why(pods: Sequence[Pod]) -> str:
    """Return what the cluster says about pods that do not run."""
    said = [each.message for pod in pods for each in pod.status.conditions if each.message]
    said += [pod.status.message for pod in pods if pod.status.message]
    return "; ".join(dict.fromkeys(each.rstrip(".") for each in said)) or "it was not started"
