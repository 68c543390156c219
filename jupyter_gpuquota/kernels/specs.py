"""Kernelspecs of sessions: what a kernel picker shows, and the program that it starts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..client.templates import share_text
from ..model.nodes import Nodes
from ..model.sessions import Session
from ..model.templates import Template
from .waiting import has_ended

MARK = "gpuquota"
"""The key of our metadata: only kernelspecs that have it are ever replaced or removed."""

_PREFIX = "gpu-"
_NEW = "gpu-new-"
_MODULE = "jupyter_gpuquota.kernels"
_ON = "Python 3 on "
"""How each title begins, so that `Python 3 (ipykernel)` comes first by the alphabet: JupyterLab's
picker preselects the first one, and `Enter` would start a notebook on a GPU."""
_FRACTIONS = {
    "0.1": "⅒",
    "0.125": "⅛",
    "0.2": "⅕",
    "0.25": "¼",
    "0.5": "½",
    "0.75": "¾",
}


@dataclass(frozen=True, slots=True)
class Spec:
    """One kernelspec; `about` is its metadata, by which pages know it."""

    name: str
    title: str
    flags: tuple[str, ...]
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """What a user may call it: its name, that of its session or of its template."""
        place = self.about.get("session") or self.about.get("template", "")
        return frozenset({self.name, place, place.rpartition("/")[2]})

    def document(self, python: str, environment: Mapping[str, str]) -> dict[str, Any]:
        """Return its `kernel.json`; the environment names the controller, and holds no token.

        Interrupts are messages: a signal would reach the relay, not the kernel.
        """
        return {
            # -P: it runs in the folder of the notebook, whose modules must not stand for its own.
            "argv": [python, "-P", "-m", _MODULE, *self.flags, "-f", "{connection_file}"],
            "display_name": self.title,
            "language": "python",
            "interrupt_mode": "message",
            "env": dict(environment),
            "metadata": {"debugger": True, "supported_encryption": "curve", MARK: dict(self.about)},
        }


def of_sessions(sessions: Iterable[Session], user: str) -> list[Spec]:
    """Return a kernelspec for each session of a user in which notebooks can run.

    Of sessions with the same name, those of later projects have the project in their name.
    """
    found: dict[str, Spec] = {}
    for session in sessions:
        spec = session.spec
        if session.owner != user or has_ended(session) or not spec.serves_jupyter:
            continue
        own = f"{_PREFIX}{spec.name}"
        project = spec.project.replace("/", ".")  # of another cluster
        name = own if own not in found else f"{_PREFIX}{project}.{spec.name}"
        place = f"{spec.project}/{spec.name}"
        parts = (_ON + (spec.name if name == own else place), share_of(spec.share.text))
        about = {"session": place, "share": spec.share.text}
        found[name] = Spec(name, " · ".join(filter(None, parts)), ("--session", place), about)
    return list(found.values())


def memory_of(nodes: Nodes) -> int:
    """Return the memory of each GPU in MiB, 0 where it differs."""
    found = {each.device.memory for node in nodes.nodes for each in node.devices}
    return found.pop() if len(found) == 1 else 0


def of_templates(templates: Iterable[Template], memory: int = 0) -> list[Spec]:
    """Return a kernelspec for each template in which notebooks can run; own ones come first.

    `memory` is that of each GPU in MiB, 0 where it is not known before one is chosen.
    """
    found: dict[str, Spec] = {}
    for template in templates:
        if template.request.command or template.name in found:
            continue
        share = share_text(template)
        what = share_of(share) + _memory(template, memory) if template.request.gpu else "session"
        title = f"{_ON}a new {what} · {template.title or template.name}"
        found[template.name] = Spec(
            f"{_NEW}{template.name}",
            title,
            ("--template", template.name),
            {"template": template.name, "share": share},
        )
    return list(found.values())


def _memory(template: Template, memory: int) -> str:
    """Return how much GPU memory a template's share has, where that is known."""
    gpus = str(template.request.gpu)
    if not memory or not gpus.replace(".", "", 1).isdecimal():
        return ""
    return f", {float(gpus) * memory / 1024:.0f} GiB"


def share_of(text: str) -> str:
    """Return a share as a title shows it: `½ GPU` for `0.5 GPU`."""
    number, _, rest = text.partition(" ")
    return f"{_FRACTIONS.get(number, number)} {rest}".strip()
