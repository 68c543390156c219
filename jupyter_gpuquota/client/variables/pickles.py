"""Named variables, each pickled by itself with protocol 5: into a file, or for a cell elsewhere.

Its source runs in kernels of other environments: it needs the standard library and IPython only,
and the syntax of Python 3.8. Whoever reads a pickle runs its code, so only one's own are read.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

KEPT = ".gpuquota/kept"
"""The folder in a session's folder with variables for the next kernels of notebooks."""
TARGET = "jupyter_gpuquota.variables"
"""The comm target that serves variables to cells."""
WINDOW = 8
"""Pieces that are sent for each request: what is not read yet stays in this kernel."""
_SUFFIX = ".pickle"
_SKIPPED = "skipped.json"


class TooLarge(ValueError):
    """The variables are larger than the limit."""


class _Bounded(io.BytesIO):
    """A file in memory that refuses to grow beyond a number of bytes."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def write(self, piece: Any) -> int:
        """Add bytes. Raises TooLarge."""
        raw = pickle.PickleBuffer(piece).raw()  # also of buffers that are written as they are
        if self.tell() + raw.nbytes > self._most:
            raise TooLarge
        return super().write(raw)


def pickled(
    namespace: Mapping[str, Any], names: Iterable[str], most: int = sys.maxsize
) -> Iterator[tuple[str, bytes, str]]:
    """Yield variables by name: the pickle, or why there is none.

    Raises TooLarge for more than `most` bytes of all.
    """
    for name in names:
        if name not in namespace:
            yield name, b"", "There is no such variable."
            continue
        file, value = _Bounded(most), namespace[name]
        try:
            pickle.Pickler(file, protocol=5).dump(value)
        except TooLarge:
            raise
        except Exception as error:  # noqa: BLE001 (whatever a class raises)
            yield name, b"", f"{type(value).__name__} cannot be pickled: {error}."
            continue
        most -= file.tell()
        yield name, file.getvalue(), ""


def unpickled(bodies: Iterable[tuple[str, Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the variables of pickles by name, and why others cannot be read."""
    values, problems = {}, {}
    for name, body in bodies:
        try:
            values[name] = pickle.loads(body)  # noqa: S301 (one's own: see the module)
        except Exception as error:  # noqa: BLE001 (whatever a class raises)
            problems[name] = f"{type(error).__name__}: {error}"
    return values, problems


def kept_file(folder: str) -> str:
    """Return the file in a session's folder that keeps variables of this kernel's notebook."""
    notebook = os.environ.get("JPY_SESSION_NAME", "")
    name = hashlib.sha256(notebook.encode()).hexdigest()[:32]
    return f"{folder}/{KEPT}/{name}.zip"


def write(namespace: Mapping[str, Any], names: Iterable[str], path: str) -> dict[str, str]:
    """Write variables to a file that only this account reads, in place of an earlier one.

    Returns by name why some are not in it, which the file says, too. Raises OSError.
    """
    path = os.path.expanduser(path)  # noqa: PTH111 (text is sent)
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    part, problems = f"{path}.part", {}
    try:
        file = os.fdopen(os.open(part, flags, 0o600), "wb")
        with file, zipfile.ZipFile(file, "w") as archive:
            for name, body, problem in pickled(namespace, names):
                if problem:
                    problems[name] = problem
                else:
                    archive.writestr(name + _SUFFIX, body)
            archive.writestr(_SKIPPED, json.dumps(problems))
        os.replace(part, path)  # noqa: PTH105
    except OSError:
        forget(part)
        raise
    return problems


def read(path: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the variables of a file, and by name why others cannot be read.

    Raises OSError, BadZipFile, and PermissionError for a file of another account.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as file:
        if os.fstat(handle).st_uid != os.getuid():
            raise PermissionError(1, "the file belongs to another account", path)
        with zipfile.ZipFile(file) as archive:
            members = [each for each in archive.namelist() if each.endswith(_SUFFIX)]
            return unpickled((each[: -len(_SUFFIX)], archive.read(each)) for each in members)


def take(namespace: dict[str, Any], path: str) -> None:
    """Set the variables of a file, if it is there; it goes once all of them could be read.

    Raises OSError, BadZipFile.
    """
    if os.path.exists(path):  # noqa: PTH110 (text is sent)
        values, problems = read(path)
        namespace.update(values)
        if not problems:
            forget(path)


def forget(path: str) -> None:
    """Remove a file; without it, do nothing. Raises OSError."""
    if os.path.exists(path):  # noqa: PTH110 (text is sent)
        os.unlink(path)  # noqa: PTH108


def pieces(bodies: Iterable[bytes], most: int) -> Iterator[memoryview]:
    """Yield the bytes of all bodies in order, at most `most` at a time."""
    for body in bodies:
        for at in range(0, len(body), most):
            yield memoryview(body)[at : at + most]


class Arriving:
    """Pickles that come in pieces: their names with their sizes are known."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = [(str(name), int(size)) for name, size in items]
        self._body = bytearray()
        self.size = sum(size for _, size in self._items)

    @property
    def left(self) -> int:
        """The bytes that have not come."""
        return self.size - len(self._body)

    def add(self, group: Iterable[Any]) -> None:
        """Add pieces. Raises ValueError for more bytes than there are places."""
        for piece in group:
            self._body += piece
        if self.left < 0:
            raise ValueError("more bytes than were announced")

    def bodies(self) -> Iterator[tuple[str, memoryview]]:
        """Yield the pickles by name, once all have come."""
        at, body = 0, memoryview(self._body)
        for name, size in self._items:
            yield name, body[at : at + size]
            at += size


def size_of(value: Any) -> int:
    """Return the bytes of an array, else of the object itself."""
    try:
        return int(value.nbytes)
    except Exception:  # noqa: BLE001 (an attribute of any class)
        return sys.getsizeof(value, 0)


class Conversation:
    """Serves the requests of one comm on the variables of a kernel."""

    def __init__(self, namespace: dict[str, Any], send: Any) -> None:
        self._namespace = namespace
        self._send: Callable[..., None] = send
        self._arriving = Arriving(())
        self._leaving: Iterator[memoryview] = iter(())

    def hear(self, data: dict[str, Any], buffers: Any = ()) -> None:
        """Answer one request: `put` and its `piece`s, `get` and `more` of its pieces."""
        try:
            answer = getattr(self, f"_{data['do']}")(data, buffers)
        except Exception as error:  # noqa: BLE001 (the other end reports it)
            answer = {"failed": f"{type(error).__name__}: {error}"}
        if answer:
            self._send(answer)

    def _put(self, data: dict[str, Any], _buffers: Any) -> None:
        self._arriving = Arriving(data["items"])

    def _piece(self, _data: dict[str, Any], buffers: Any) -> dict[str, Any] | None:
        self._arriving.add(buffers)
        if self._arriving.left:
            return None
        values, problems = unpickled(self._arriving.bodies())
        self._arriving = Arriving(())
        if not problems:
            self._namespace.update(values)
        return {"problems": problems}

    def _get(self, data: dict[str, Any], _buffers: Any) -> dict[str, Any]:
        own, names = self._namespace, data["names"]
        try:
            found = list(pickled(own, names, data["limit"]))
        except TooLarge:
            return {"sizes": {name: size_of(own[name]) for name in names if name in own}}
        problems = {name: problem for name, _, problem in found if problem}
        if not problems:
            self._leaving = pieces((body for _, body, _ in found), data["piece"])
        return {"items": [(name, len(body)) for name, body, _ in found], "problems": problems}

    def _more(self, _data: dict[str, Any], _buffers: Any) -> None:
        for _, piece in zip(range(WINDOW), self._leaving):  # noqa: B905 (Python 3.8)
            self._send({"piece": True}, [piece])


def serve(shell: Any) -> None:
    """Serve variables of IPython's shell at the comm target."""

    def opened(comm: Any, message: Any) -> None:
        def send(data: Any, buffers: Any = None) -> None:
            comm.send(data, buffers=buffers)

        talk = Conversation(shell.user_ns, send)
        comm.on_msg(lambda m: talk.hear(m["content"]["data"], m.get("buffers", ())))
        talk.hear(message["content"]["data"], message.get("buffers", ()))

    shell.kernel.comm_manager.register_target(TARGET, opened)


def program(then: str) -> str:
    """Return an expression with the value of `then` in a kernel, where `m` has the names here."""
    loader: Any = globals()["__loader__"]
    text = loader.get_source(__name__)
    return f'(lambda m: (exec({text!r}, m), {then})[-1])({{"__name__": "jupyter_gpuquota_part"}})'
