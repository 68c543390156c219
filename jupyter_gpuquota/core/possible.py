"""Decide whether a share could ever be had: on empty devices, within what the project may hold."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import FieldError
from ..model.quota import Project
from ..model.resources import Node, Share, gpus_text, memory_text
from ..model.sessions import Kind, Session
from .ledger import UNBOUNDED
from .line import nodes_for
from .placement import Pool
from .plans import Situation
from .quota import cost


def check_possible(
    share: Share, kind: Kind, node_type: str, nodes: Sequence[Node], project: Project
) -> list[FieldError]:
    """Return why a share can never be had, empty if it could."""
    known = {label for node in nodes for label in node.labels}
    if node_type and node_type not in known:
        hint = f"There are: {', '.join(sorted(known))}." if known else "There are no node groups."
        return [FieldError("node_type", f"There is no node group {node_type!r}.", hint)]
    if not share.wants_gpu:
        return []
    if not any(not device.lost for node in nodes for device in node.devices):
        hint = "Leave the GPU out for a session on CPUs only."
        return [FieldError(_field(share), "There are no GPUs.", hint)]
    names = nodes_for(project, kind, node_type, nodes)
    open_to_it = [node for node in nodes if names is None or node.name in names]
    placed = Pool(open_to_it).find(share)
    if placed is None:
        return [_beyond(share, open_to_it, project if names is not None else None)]
    return _over_quota(share, cost(share, open_to_it), kind, project)


class Prospects:
    """Know of those who wait whether they could ever start; alike requests are looked at once."""

    def __init__(self, situation: Situation) -> None:
        self._nodes = situation.nodes
        self._projects = {project.name: project for project in situation.projects}
        self._known: dict[tuple[str, Kind, str, Share], str] = {}

    def obstacle(self, session: Session) -> str:
        """Say why a session could never start, empty if it could."""
        spec = session.spec
        project = self._projects.get(spec.project)
        if project is None:
            return ""  # this is the reason why it waits, and is told as such
        key = (spec.project, spec.kind, spec.node_type, spec.share)
        if key not in self._known:
            found = check_possible(spec.share, spec.kind, spec.node_type, self._nodes, project)
            self._known[key] = found[0].message if found else ""
        return self._known[key]


def _over_quota(share: Share, milli: int, kind: Kind, project: Project) -> list[FieldError]:
    most = project.ceiling(UNBOUNDED)
    if kind == "interactive" and milli > (most := min(most, project.quota)):
        rule = f"the whole quota of {project.name}, {gpus_text(most)} GPU"
        hint = "An interactive session never borrows: ask for less"
        hint += ", or for interactive-spot or train." if project.weighs else "."
        return [FieldError(_field(share), f"{share.text} is more than {rule}.", hint)]
    if milli > most:
        rule = f"{project.name} may ever hold, {gpus_text(most)} GPU"
        hint = "It would wait for ever: ask for less."
        return [FieldError(_field(share), f"{share.text} is more than {rule}.", hint)]
    return []


def _beyond(share: Share, nodes: Sequence[Node], bound: Project | None) -> FieldError:
    devices = [device for node in nodes for device in node.devices if not device.lost]
    if not devices:
        whose = f"{bound.name}'s sessions" if bound else "Sessions"
        message = f"{whose} of this kind may run on no node that has a GPU."
        return FieldError("project", message, "An admin sets which node groups a project may use.")
    if share.mig:
        profiles = sorted({i.profile for device in devices for i in device.mig})
        offer = f"There are: {', '.join(profiles)}." if profiles else "No GPU here is in MIG mode."
        return FieldError("mig_profile", f"No GPU has a MIG instance {share.mig}.", offer)
    if share.memory:
        most = max(device.memory for device in devices)
        message = f"{memory_text(share.memory)} is more than any GPU here has."
        return FieldError("gpu_memory", message, f"The largest has {memory_text(most)}.")
    usable = [sum(not d.lost and not d.mig for d in node.devices) for node in nodes]
    message = f"{share.text} is more than any node" + (
        f" open to {bound.name} has." if bound else " has."
    )
    return FieldError("gpu", message, f"The largest node has {max(usable)} GPUs to share.")


def _field(share: Share) -> str:
    return "mig_profile" if share.mig else "gpu_memory" if share.memory else "gpu"
