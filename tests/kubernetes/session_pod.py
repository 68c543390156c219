"""A session and its pod."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from jupyter_gpuquota.kubernetes.labels import object_name
from jupyter_gpuquota.kubernetes.objects.meta import Meta
from jupyter_gpuquota.kubernetes.objects.pods import Container, Pod, PodSpec, PodStatus
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session

CONTAINER = "session"


def make_running(run: int = 1, **spec: Any) -> Session:
    """Return a running session."""
    return structs.replace(make_session(state="running", **spec), run=run)


def make_pod(session: Session, *, name: str = "", phase: str = "Running", **fields: Any) -> Pod:
    """Return the pod of a session's StatefulSet."""
    meta = Meta(
        name=name or f"{object_name(session)}-0", namespace=session.spec.project, uid="1234"
    )
    spec = PodSpec(containers=(Container(name=CONTAINER),))
    return Pod(metadata=meta, spec=spec, status=PodStatus(phase=phase, **fields))
