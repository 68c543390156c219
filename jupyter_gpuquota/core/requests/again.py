"""The request of a session that there is, as it would be sent again."""

from __future__ import annotations

from ...model.resources import Share, gpus_text
from ...model.sessions import SessionFields, SessionRequest, SessionSpec
from ...model.spans import write_span
from .data import data_text
from .mounts import mount_text
from .pods import options_asked


def fields_of(spec: SessionSpec) -> SessionFields:
    """Return the fields with which a session would be launched again."""
    again = asked_again(spec)
    asked = {name: getattr(again, name) for name in SessionFields.__struct_fields__}
    wish = spec.idle_timeout
    return SessionFields(
        **asked
        | _share_fields(spec.share)
        | {"idle_timeout": "" if wish is None else write_span(wish)}
    )


def _share_fields(share: Share) -> dict[str, str]:
    """Return a share as it is typed."""
    memory = f"{share.memory // 1024}Gi" if share.memory % 1024 == 0 else f"{share.memory}Mi"
    return {
        "gpu": gpus_text(share.milli) if share.milli else "",
        "gpu_memory": memory if share.memory else "",
        "gpu_compute": str(share.compute) if share.compute else "",
        "mig_profile": share.mig,
    }


def asked_again(spec: SessionSpec) -> SessionRequest:
    """Return the request of a session without its share."""
    return SessionRequest(
        name=spec.name,
        project=spec.project,
        kind=spec.kind,
        environment=spec.image or spec.environment,
        folder=spec.folder,
        command=spec.command,
        args=spec.args,
        env=spec.env,
        ports=spec.ports,
        priority=spec.priority,
        node_type=spec.node_type,
        base_url=spec.base_url,
        stop_when_idle=spec.stop_when_idle,
        processes=spec.processes,
        framework=spec.framework,
        data=tuple(map(data_text, spec.data)),
        volumes=tuple(map(mount_text, spec.mounts)),
        **options_asked(spec.pod),
    )
