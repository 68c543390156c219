"""What a session has inside of its pod: packages, repositories, notebooks, its log, variables.

Every part may fail alone; the manifest says which and why.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import io
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec
from msgspec.structs import replace

from ...control.inside.carrying import Unreadable
from ...control.snapshots.drafts import VARIABLES, added_to, answered, chosen_variables, command
from ...core.snapshots import redaction
from ...errors import GpuQuotaError, Unavailable, WrongState
from ...model.programs import ExecRequest
from ...model.sessions import LogQuery
from ...model.snapshots.dumps import PLACE, RESTORED, pod_folder
from ...model.snapshots.manifest import FilePart, Manifest, PartProblem
from ...model.snapshots.orders import SnapshotOrder
from ...ports.charge import NotInCharge
from ...ports.sessions import Exec, Logs
from ..api import Api
from ..faults import translated
from ..objects.pods import Pod
from ..programs.pod_program import PodProgram

_SYNC = 60
"""Seconds for `sync` in a pod."""
_LOOK = 120
"""Seconds for looking at everything else."""
_LINES = 2000
"""The last lines of a log that are stored."""
MOST = 64 << 20
"""The most bytes of a file."""
_MARK = b"gpuquota-variables:"
"""What precedes an answer: a session's Python may print, too."""
_PATIENCE = 300.0
_PIECE = 256 << 10
_PATH = """\
import base64, os, sys
path = os.path.join(os.path.expanduser("~"), sys.argv[1])
"""
_READ = f"""{_PATH}
with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
    body = file.read({MOST} + 1)
sys.stdout.write("{_MARK.decode()}" + base64.b64encode(body).decode() + "\\n")
"""
_REMOVE = f"{_PATH}os.unlink(path)\n"
_WRITE = f"""{_PATH}
body = sys.stdin.buffer.read(int(sys.argv[2]))
os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
with os.fdopen(os.open(path + ".part", flags, 0o600), "wb") as file:
    file.write(body)
os.replace(path + ".part", path)
sys.stdout.write("{_MARK.decode()}\\n")
"""


@dataclass(slots=True)
class Looked:
    """A draft with what was found, and by sha256 the files that are stored beside its manifest.

    `secrets` are values that are in none of them.
    """

    draft: Manifest
    files: dict[str, bytes] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)
    after: Callable[[], Awaitable[None]] | None = None
    """What is to be done once everything is stored."""

    def store(self, name: str, body: bytes) -> FilePart:
        """Keep a file for the snapshot."""
        digest = hashlib.sha256(body).hexdigest()
        self.files[digest] = body
        return FilePart(path=name, size=len(body), sha256=digest)

    def lacks(self, part: str, why: str) -> None:
        """Note what could not be read."""
        problem = PartProblem(part=part, message=redaction.text(why))
        self.draft = replace(self.draft, problems=(*self.draft.problems, problem))


class Inside:
    """Looks into sessions; `exec` and `logs` are set when the backend is complete.

    `pod` returns the pod of a session by its id, `secrets` the values of its variables that its
    request has and that are secrets.
    """

    def __init__(
        self,
        pod: Callable[[str], Pod | None],
        variables: PodVariables,
        secrets: Callable[[str], Iterable[str]] = lambda _: (),
    ) -> None:
        self.exec: Exec | None = None
        self.logs: Logs | None = None
        self._pod = pod
        self._variables = variables
        self._secrets = secrets

    async def look(self, order: SnapshotOrder) -> Looked:
        """Return what is found, once everything that was written is on the volumes.

        Raises NotInCharge.
        """
        session = order.draft.session
        looked = Looked(_with_image(order.draft, self._pod(session)))
        looked.secrets += self._secrets(session)
        if order.running and self.exec:
            await self._parts(order, self.exec, looked)
        await self._log(order, looked)
        if order.dump:
            await self._kernel(order, looked)
        if order.running and self.exec:
            await self._sync(order, self.exec, looked)
        return looked

    async def _parts(self, order: SnapshotOrder, programs: Exec, looked: Looked) -> None:
        words = command(order.artifacts)
        request = ExecRequest(command=words, timeout=_LOOK)
        try:
            said = await programs.execute(order.draft.session, request)
            found = answered(said.output)
            looked.secrets += msgspec.convert(found.get("secrets", ()), tuple[str, ...])
            looked.draft = added_to(looked.draft, found, looked.store)
        except NotInCharge:
            raise
        except (GpuQuotaError, Unreadable, ValueError) as error:
            looked.lacks("session", f"Its Python (python3) did not say what it has: {error}")

    async def _kernel(self, order: SnapshotOrder, looked: Looked) -> None:
        session, dump = order.draft.session, order.dump
        stored = io.BytesIO()
        try:
            given = await self._variables.read(session, dump)
            part = chosen_variables(io.BytesIO(given), stored, "")
        except NotInCharge:
            raise
        except (GpuQuotaError, ValueError) as error:
            looked.lacks("kernel", str(error))
            return
        file = looked.store(VARIABLES, stored.getvalue())
        looked.draft = replace(looked.draft, kernel=replace(part, path=file.path))
        looked.after = partial(self._variables.remove, session, dump)

    async def _log(self, order: SnapshotOrder, looked: Looked) -> None:
        if self.logs is None:
            return
        try:
            said = await self.logs.read(order.draft.session, LogQuery(tail=_LINES))
        except NotInCharge:
            raise
        except GpuQuotaError as error:
            looked.lacks("logs", error.message)
        else:
            if said.text:
                secrets = redaction.longest_first(looked.secrets)
                file = looked.store("log.txt", redaction.text(said.text, secrets).encode())
                looked.draft = replace(looked.draft, logs=(file,))

    async def _sync(self, order: SnapshotOrder, programs: Exec, looked: Looked) -> None:
        request = ExecRequest(command=("sync",), timeout=_SYNC)
        try:
            said = await programs.execute(order.draft.session, request)
            why = f"sync ended with {said.exit_code}" if said.exit_code else ""
        except NotInCharge:
            raise
        except GpuQuotaError as error:
            why = error.message
        if why:
            looked.lacks("sync", f"The newest writes may be missing: {why}.")
            looked.draft = replace(looked.draft, consistency="best-effort")


def _with_image(draft: Manifest, pod: Pod | None) -> Manifest:
    """Return a draft with the digest of the image that runs, if its node says it."""
    status = pod.main_status if pod else None
    _, found, digest = status.image_id.rpartition("sha256:") if status else ("", "", "")
    environment = replace(draft.environment, digest=f"{found}{digest}" if found else "")
    return replace(draft, environment=environment)


class PodVariables:
    """The files of variables in the pods of sessions; `pod` returns the pod of one by its id."""

    def __init__(self, api: Api, pod: Callable[[str], Pod | None]) -> None:
        self._api = api
        self._pod = pod

    async def read(self, session: str, dump: str) -> bytes:
        """Return a file that a program of the session has written for its snapshot.

        Raises WrongState, Unavailable, ValueError for a file that cannot be read.
        """
        said = await self._run(session, _READ, _dump(session, dump))
        try:
            body = base64.b64decode(said, validate=True)
        except binascii.Error as error:
            raise ValueError("The file of variables did not arrive whole.") from error
        if len(body) > MOST:
            raise ValueError(f"The variables have more than {MOST:,} bytes.")
        return body

    async def remove(self, session: str, dump: str) -> None:
        """Remove a file that was read. Raises WrongState, Unavailable, ValueError."""
        script = f"{_REMOVE}sys.stdout.write('{_MARK.decode()}\\n')\n"
        await self._run(session, script, _dump(session, dump))

    async def write(self, session: str, body: bytes) -> None:
        """Write the file of restored variables. Raises WrongState, Unavailable, ValueError."""
        path = f"{pod_folder(session)}/{RESTORED}"
        await self._run(session, _WRITE, path, str(len(body)), given=body)

    async def _run(self, session: str, script: str, *words: str, given: bytes = b"") -> bytes:
        """Return what the session's own Python answers."""
        pod = self._pod(session)
        if pod is None or pod.status.phase != "Running":
            raise WrongState("The session is not running.", hint="Wait until it is.")
        command = ("python3", "-I", "-c", script, *words)
        try:
            async with asyncio.timeout(_PATIENCE):
                with translated():
                    said = await _answer(self._api, pod, command, given)
        except TimeoutError as error:
            text = f"The session's Python did not answer within {_PATIENCE:g} seconds."
            raise Unavailable(text, hint="Try again.") from error
        line = next((each for each in said.splitlines() if each.startswith(_MARK)), None)
        if line is None:
            why = said.strip()[-200:].decode(errors="replace") or "it printed nothing"
            raise ValueError(f"Its Python (python3) did not do it: {why}")
        return line.removeprefix(_MARK)


async def _answer(api: Api, pod: Pod, command: Sequence[str], given: bytes) -> bytes:
    """Return what a program prints that reads as many bytes as it is given. Raises Fault."""
    program = await PodProgram.start(api, pod, command, fed=bool(given))
    said = bytearray()
    try:
        for start in range(0, len(given), _PIECE):
            await program.write(given[start : start + _PIECE])
        while (output := await program.read()) is not None:
            said += output
    finally:
        await program.close()
    return bytes(said)


def _dump(session: str, dump: str) -> str:
    return f"{pod_folder(session)}/{PLACE}/{dump}.zip"
