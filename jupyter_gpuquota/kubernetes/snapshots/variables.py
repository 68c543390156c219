"""Files of variables in pods: read for a snapshot, and written into a restored session."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable, Sequence

from ...errors import Unavailable, WrongState
from ...model.snapshots.dumps import PLACE, RESTORED, pod_folder
from ..api import Api
from ..faults import translated
from ..objects.pods import Pod
from ..programs.pod_program import PodProgram

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
