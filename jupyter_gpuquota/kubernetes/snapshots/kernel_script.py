"""Lets a kernel of a session write chosen variables to a file: it runs in the session's pod.

    python3 -I -c SCRIPT SIZE

It reads `SIZE` bytes: a JSON document with `names`, `notebook` (the path of one, empty for the only
one), `path` (the file, relative to the home folder) and the sources of two modules: `pickles`, with
which the kernel writes, and `evaluating`, with which it is asked. It prints one JSON document: the
names that the kernel does not have (`missing`), or the `problem`. The syntax of Python 3.8; besides
the standard library only jupyter_client, which every Jupyter Server needs.
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

MARK = "gpuquota-variables:"
_BUSY, _PAUSE, _ANSWER = 10.0, 0.2, 240.0
"""Seconds to wait for a busy kernel, between two looks, and for what it writes."""
_WRITE = """\
(lambda m, names, own: (
    exec({source!r}, m),
    m["write_file"]({{name: own[name] for name in names if name in own}}, {path!r}),
    m["json"].dumps([name for name in names if name not in own]),
)[-1])({{"__name__": "jupyter_gpuquota_variables"}}, {names!r}, get_ipython().user_ns)
"""


class Refused(Exception):
    """The kernel cannot be asked; the text says why."""


def main() -> None:
    """Answer the request."""
    asked = json.loads(sys.stdin.buffer.read(int(sys.argv[1])))
    try:
        found: dict[str, Any] = {"missing": write(asked)}
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, Refused) as error:
        found = {"problem": str(error) or type(error).__name__}
    sys.stdout.write(MARK + json.dumps(found) + "\n")


def write(asked: dict[str, Any]) -> list[str]:
    """Let the kernel write the file, and return the names that it does not have. Raises Refused."""
    from jupyter_core.paths import jupyter_runtime_dir  # noqa: PLC0415 (only the session has it)

    runtime = Path(jupyter_runtime_dir())
    kernel = idle(server(runtime), asked["notebook"])
    path = Path.home() / asked["path"]
    if path.exists():  # of a controller that was killed
        path.unlink()
    code = _WRITE.format(source=asked["pickles"], path=str(path), names=asked["names"])
    tools: dict[str, Any] = {"__name__": "gpuquota_evaluating"}
    exec(asked["evaluating"], tools)  # noqa: S102 (ours)
    file = str(runtime / f"kernel-{kernel}.json")
    found: list[str] = json.loads(tools["evaluated"](file, code, _ANSWER))
    return found


def server(runtime: Path) -> dict[str, Any]:
    """Return the session's own Jupyter Server: other pods may share its home. Raises Refused."""
    session = os.environ["GPUQUOTA_SESSION"]
    for path in sorted(runtime.glob("jpserver-*.json"), key=os.path.getmtime, reverse=True):
        found: dict[str, Any] = json.loads(path.read_text())
        if found["base_url"].rstrip("/").endswith(f"/{session}"):
            return found
    raise Refused("The session has no Jupyter Server whose kernels could be asked.")


def idle(server: dict[str, Any], notebook: str) -> str:
    """Return the id of the kernel that is meant, once it is idle. Raises Refused."""
    deadline = time.monotonic() + _BUSY
    while True:
        found = chosen(sessions(server), notebook)
        if found["kernel"].get("execution_state") != "busy":
            return str(found["kernel"]["id"])
        if time.monotonic() > deadline:
            raise Refused(f"The kernel of {found['path']} is busy.")
        time.sleep(_PAUSE)


def sessions(server: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the notebooks and the like that have a kernel. Raises OSError."""
    host = "[::1]" if ":" in server["hostname"] else "127.0.0.1"
    url = f"http://{host}:{server['port']}{server['base_url']}api/sessions?no_track_activity=1"
    headers = {"Authorization": f"token {os.environ['GPUQUOTA_SESSION_TOKEN']}"}
    request = urllib.request.Request(url, None, headers)  # noqa: S310 (http)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=_BUSY) as answer:
        found: list[dict[str, Any]] = json.loads(answer.read())
        return found


def chosen(every: list[dict[str, Any]], notebook: str) -> dict[str, Any]:
    """Return the kernel of a notebook, or the only one. Raises Refused."""
    alive = [
        each
        for each in every
        if each.get("kernel") and each["kernel"].get("execution_state") != "dead"
    ]
    if not alive:
        raise Refused("The session has no kernel with variables.")
    named = [each for each in alive if notebook in ("", each.get("path"), each.get("name"))]
    if len(named) == 1:
        return named[0]
    paths = ", ".join(str(each.get("path")) for each in alive)
    raise Refused(f"These notebooks have a kernel: {paths}. Name one with --notebook.")


if __name__ == "__main__":
    main()
