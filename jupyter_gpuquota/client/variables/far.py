"""The end of variables in the other kernel.

Its source runs there, after that of `pickles`: it needs the standard library and IPython only.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

from .pickles import (
    Filling,
    TooLarge,
    Unreadable,
    overview,
    pack,
    pieces,
    read_file,
    unpack,
    write_file,
)

TARGET = "jupyter_gpuquota.variables"
"""The comm target that serves variables."""
KEPT = ".gpuquota/kept"
"""The folder in a session's folder with variables that outlast a kernel."""
MOST = 200
"""The most variables that are listed, the largest ones."""
WINDOW = 8
"""Pieces that are sent for each request: what is not read yet stays in this kernel."""


def kept_file(folder: str) -> str:
    """Return the file in a session's folder that keeps variables of this kernel's notebook."""
    notebook = os.environ.get("JPY_SESSION_NAME", "")
    name = hashlib.sha256(notebook.encode()).hexdigest()[:32]
    return os.path.join(folder, KEPT, f"{name}.zip")  # noqa: PTH118 (text is sent)


def keep(
    namespace: Mapping[str, Any], names: list[str], path: str, *, partly: bool = False
) -> dict[str, Any]:
    """Write variables to a file. Returns their `size`, or `problems` by name and no file.

    With `partly`, those that cannot be pickled are left out, and the file says why.
    """
    if missing := {name: "There is no such variable." for name in names if name not in namespace}:
        return {"problems": missing}
    try:
        if os.path.exists(path):  # noqa: PTH110 (text is sent)
            os.unlink(path)  # noqa: PTH108
        problems = write_file({name: namespace[name] for name in names}, path)
        if problems and not partly:
            os.unlink(path)  # noqa: PTH108
            return {"problems": problems}
        return {"size": os.stat(path).st_size}  # noqa: PTH116
    except OSError as error:
        return {"problems": dict.fromkeys(names, f"{error.strerror}: {path}")}


def take(namespace: dict[str, Any], path: str, *, remove: bool = False) -> dict[str, Any]:
    """Read variables of a file. Returns their `names`, and `problems` of others by name.

    Without the file there are none.
    """
    try:
        found = dict(read_file(path))
        if remove:
            os.unlink(path)  # noqa: PTH108
    except FileNotFoundError:
        return {"names": []}
    except (OSError, zipfile.BadZipFile) as error:
        return {"problems": {path: str(error)}}
    problems = {name: each.reason for name, each in found.items() if isinstance(each, Unreadable)}
    good = {name: value for name, value in found.items() if name not in problems}
    namespace.update(good)
    return {"names": list(good), "problems": problems}


class Conversation:
    """Serves the requests of one comm on the variables of a kernel."""

    def __init__(self, namespace: dict[str, Any], hidden: Mapping[str, Any], send: Any) -> None:
        self._namespace = namespace
        self._hidden = hidden
        self._send: Callable[..., None] = send
        self._filling: Filling | None = None
        self._items: list[tuple[str, int]] = []
        self._leaving: Any = iter(())

    def hear(self, data: dict[str, Any], buffers: Any = ()) -> None:
        """Answer one request: `put`, `get`, `list`, `keep`, `take`, `forget`, and pieces."""
        try:
            answer = getattr(self, f"_{data['do']}")(data, buffers)
        except Exception as error:  # noqa: BLE001 (the other end reports it)
            answer = {"failed": f"{type(error).__name__}: {error}"}
        if answer:
            self._send(answer)

    def _put(self, data: dict[str, Any], _buffers: Any) -> dict[str, Any] | None:
        self._items = [(name, len(sizes)) for name, sizes in data["items"]]
        self._filling = Filling([size for _, sizes in data["items"] for size in sizes])
        return None

    def _piece(self, _data: dict[str, Any], buffers: Any) -> dict[str, Any] | None:
        filling = self._filling
        assert filling  # noqa: S101 (`put` comes first)
        filling.add(buffers)
        if filling.left:
            return None
        self._filling, at, values, problems = None, 0, {}, {}
        for name, count in self._items:
            try:
                values[name] = unpack(filling.parts[at : at + count])
            except Exception as error:  # noqa: BLE001 (whatever a class raises when it is read)
                problems[name] = f"{type(error).__name__}: {error}"
            at += count
        if not problems:
            self._namespace.update(values)
        return {"names": list(values), "problems": problems}

    def _get(self, data: dict[str, Any], _buffers: Any) -> dict[str, Any]:
        names, room = data["names"], data["limit"]
        problems = {
            name: "There is no such variable." for name in names if name not in self._namespace
        }
        items, parts = [], []
        for name in names:
            if name in problems:
                continue
            try:
                packed = pack(self._namespace[name], room)
            except TooLarge:
                return {"large": name, "sizes": dict(overview(self._namespace, self._hidden))}
            except Exception as error:  # noqa: BLE001 (whatever a class raises when it is pickled)
                problems[name] = f"{type(error).__name__}: {error}"
                continue
            room -= sum(part.nbytes for part in packed)
            items.append((name, [part.nbytes for part in packed]))
            parts += packed
        self._leaving = iter(()) if problems else pieces(parts, data["piece"])
        return {"items": items, "problems": problems}

    def _more(self, _data: dict[str, Any], _buffers: Any) -> None:
        for _, group in zip(range(WINDOW), self._leaving, strict=False):
            self._send({"piece": True}, group)

    def _list(self, _data: dict[str, Any], _buffers: Any) -> dict[str, Any]:
        found = overview(self._namespace, self._hidden)
        return {
            "variables": [
                {"name": name, "type": type(self._namespace[name]).__name__, "size": size}
                for name, size in found[:MOST]
            ],
            "more": max(0, len(found) - MOST),
        }

    def _keep(self, data: dict[str, Any], _buffers: Any) -> dict[str, Any]:
        path = data.get("path") or kept_file(data["folder"])
        return keep(self._namespace, data["names"], path, partly=data.get("partly", False))

    def _take(self, data: dict[str, Any], _buffers: Any) -> dict[str, Any]:
        path = data.get("path") or kept_file(data["folder"])
        answer = take(self._namespace, path, remove=data.get("remove", False))
        # Those of a file that another program has let this kernel take already are here, too.
        here = [name for name in data.get("wanted", ()) if name in self._namespace]
        return {**answer, "names": sorted({*answer.get("names", ()), *here})}

    def _forget(self, data: dict[str, Any], _buffers: Any) -> dict[str, Any]:
        os.unlink(kept_file(data["folder"]))  # noqa: PTH108 (text is sent)
        return {"names": []}


def answer(shell: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one request without pieces, on the variables of IPython's shell."""
    answers: list[dict[str, Any]] = []
    Conversation(shell.user_ns, shell.user_ns_hidden, answers.append).hear(request)
    return answers[0]


def serve(shell: Any) -> None:
    """Serve variables of IPython's shell at the comm target."""

    def opened(comm: Any, message: Any) -> None:
        talk = Conversation(
            shell.user_ns,
            shell.user_ns_hidden,
            lambda data, buffers=None: comm.send(data, buffers=buffers),
        )
        comm.on_msg(lambda m: talk.hear(m["content"]["data"], m.get("buffers", ())))
        talk.hear(message["content"]["data"], message.get("buffers", ()))

    shell.kernel.comm_manager.register_target(TARGET, opened)
