"""What a request comes to in each of its places: a cluster, or a template."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from msgspec import structs

from ...model.clusters.names import cluster_of, name_in, qualified
from ...model.sessions import SessionRequest
from ...model.templates import Template, TemplateFields
from ..fields import FieldReader

MOST = 8
"""The most places of one request."""
_SHORTEST = 10
_OWN = frozenset({"base_url"})
"""What a template never replaces."""
_DEFAULTS = TemplateFields()


@dataclass(frozen=True, slots=True)
class Known:
    """What places may name: `clusters`, the first one first, and `templates`, own ones first.

    `projects` are those that the user may launch in, `files` the clusters in which sessions see the
    files of the controller's machine.
    """

    clusters: Sequence[str]
    templates: Sequence[Template]
    projects: Sequence[str]
    files: Collection[str] = ()

    def cluster(self, project: str) -> str:
        """Return the name of the cluster of a project."""
        return cluster_of(project) or self.clusters[0]


def placed(request: SessionRequest, known: Known, reader: FieldReader) -> list[SessionRequest]:
    """Return the request of each place, and note which names are unknown or closed."""
    if len(request.on) > MOST:
        reader.wrong("on", "place.most", most=MOST, count=len(request.on))
        return []
    alone = structs.replace(request, on=(), on_wait="")
    found = []
    for i, name in enumerate(request.on):
        if name in request.on[:i]:
            reader.wrong(f"on[{i}]", "name.twice", name=name)
            continue
        to = _in_cluster if name in known.clusters else _by_template
        there = to(alone, name, known, f"on[{i}]", reader)
        if there:
            found.append(there)
    return found


def read_wait(request: SessionRequest, usual: int, reader: FieldReader) -> int:
    """Return how long each place is waited for, in seconds."""
    if not str(request.on_wait).strip():
        return usual
    seconds = reader.duration("on_wait", request.on_wait, "default")
    if not reader.errors and seconds < _SHORTEST:
        reader.wrong("on_wait", "fallback.wait")
    return seconds


def check_alone(request: SessionRequest, reader: FieldReader) -> None:
    """Check that a request without places says nothing about them."""
    if request.on_wait and not request.on:
        reader.wrong("on_wait", "fallback.alone")


def _in_cluster(
    request: SessionRequest, cluster: str, known: Known, field: str, reader: FieldReader
) -> SessionRequest | None:
    """Return a request in a cluster: in the project of the same name there, or else the first."""
    there = [name for name in known.projects if known.cluster(name) == cluster]
    first = cluster == known.clusters[0]
    same = qualified("" if first else cluster, name_in(request.project))
    project = same if same in there else next(iter(there), "")
    if not project:
        reader.wrong(field, "place.closed", cluster=cluster)
        return None
    return structs.replace(_carried(request, cluster, known), project=project)


def _carried(request: SessionRequest, cluster: str, known: Known) -> SessionRequest:
    """Return what of a request holds in a cluster.

    Folder and environment of this machine, which JupyterLab and shells fill in, are nothing where
    its files are not seen: the defaults of that cluster hold there.
    """
    if known.clusters[0] not in known.files or cluster in known.files:
        return request
    return structs.replace(request, folder="", environment="")


def _by_template(
    request: SessionRequest, name: str, known: Known, field: str, reader: FieldReader
) -> SessionRequest | None:
    """Return a request with what a template says."""
    if not name:
        reader.wrong(field, "place.unnamed")
        return None
    template = next((each for each in known.templates if each.name == name), None)
    if template is None:
        names = [*known.clusters, *(each.name for each in known.templates)]
        reader.known(field, name, names, "place.unknown")
        return None
    usual = structs.asdict(_DEFAULTS)
    said = {
        key: value
        for key, value in structs.asdict(template.request).items()
        if value != usual[key] and key not in _OWN
    }
    share = {"gpu", "gpu_memory", "gpu_compute", "mig_profile"}
    if share & said.keys():  # one form replaces another
        said = {key: usual[key] for key in share} | said
    carried = _carried(request, known.cluster(template.project or request.project), known)
    return structs.replace(carried, **said)
