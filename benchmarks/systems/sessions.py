"""Sessions of a running JupyterLab, requested as its front end does."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from scripts.ports import free_port

from ..clients.http import Caller
from ..errors import CouldNotMeasure
from ..measuring.timing import wait_until
from .server import Server
from .workplace import Workplace

API = "/gpuquota/api"
_UPSTREAM = Path(__file__).parents[1] / "simulated" / "upstream.py"
ENDED = {"stopped", "done", "failed"}


def create(api: Caller, name: str, **wishes: Any) -> dict[str, Any]:
    """Create a session of team-a and return it."""
    session: dict[str, Any] = api.post("/sessions", {"name": name, "project": "team-a"} | wishes)
    return session


def wait_for(api: Caller, session_id: str, state: str) -> None:
    """Wait until a session is in a state. Raises CouldNotMeasure if it ends instead."""

    def reached() -> bool:
        session = api.get(f"/sessions/{session_id}")
        if session["state"] != state and session["state"] in ENDED:
            raise CouldNotMeasure(f"the session ended: {session['state']}, {session.get('exit')}")
        return bool(session["state"] == state)

    wait_until(reached, f"a session is {state}", poll=0.02)


def start_upstream(place: Workplace, server: Server) -> tuple[int, str]:
    """Start the small server as a session; return its port and its ingress path."""
    script = shutil.copy(_UPSTREAM, place.root)
    port, api = free_port(), server.caller(API)
    command = [place.environment.python, str(script), str(port)]
    session = create(api, "upstream", gpu="0.5", command=command, ports=[port])
    wait_for(api, session["id"], "running")
    path = f"/gpuquota/s/{session['id']}/p/{port}"
    through = server.caller(path)
    wait_until(lambda: through.status("/small") == 200, "the ingress reaches the session")
    through.close()
    api.close()
    return port, path
