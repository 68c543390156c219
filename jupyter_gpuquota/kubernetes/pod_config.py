"""Configuration of the pods of sessions: a part of `c.KubernetesConfig`."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from traitlets import Dict, Float, List, TraitError, Unicode

from ..control.config import absolute, check_names, read
from ..core.fields import FieldReader
from ..core.requests.pods import read_options
from ..model.environments import Environment
from ..model.pods import ContainerRules, PodOptions
from ..model.sessions import SessionRequest
from ..model.struct import Request
from .builders.defaults import PodDefaults
from .datasets.config import DatasetConfig
from .images import Images
from .labels import NAME_LIMIT, PREFIX
from .nodes import GROUP_LABELS

_HOME = "/home/jovyan"
_OPTIONS = (
    "cpu",
    "memory",
    "tolerations",
    "pull_secrets",
    "pull_policy",
    "service_account",
    "run_as",
)
"""The settings that are written as in requests."""


class Preset(Request, frozen=True, kw_only=True):
    """An image that is listed."""

    id: str
    image: str
    label: str = ""
    default: bool = False


class PodConfig(DatasetConfig):
    """Settings of the pods of sessions."""

    environments = List(
        Dict(),
        default_value=[{"id": "jupyter", "image": "quay.io/jupyter/minimal-notebook:latest"}],
        help="""Images that are listed as environments, for example [{"id": "torch", "label":
        "PyTorch 2.9", "image": "ghcr.io/team/torch:2.9", "default": True}]. The default one, or
        the first, is used where a request names none. They need jupyterlab or jupyter_server.""",
    ).tag(config=True)

    allowed_images = List(
        Unicode(),
        default_value=["**"],
        help="""Patterns of further images that users may name: `*` stands for any characters but a
        slash, `**` for any characters. Empty: only listed ones. Default: any, as members may start
        pods of any image by other means, too.""",
    ).tag(config=True)

    server_command = List(
        Unicode(),
        default_value=["jupyter", "lab"],
        help="Command of a Jupyter Server in images; options of the session are appended.",
    ).tag(config=True)

    home = Unicode(
        _HOME,
        help="""Home folder in the container, where sessions work unless they name another folder.
        It is empty at first and lasts as long as the pod, unless it is a claim.""",
    ).tag(config=True)

    home_claim = Unicode(
        help="""Name of the claim for the home folder, in the project's namespace; {user} stands for
        the owner of the session, for example home-{user}. It must exist.""",
    ).tag(config=True)

    host_paths = List(
        Unicode(),
        help="""Folders of nodes that may be mounted, with what is below them. Pods with such a
        volume are outside of the Pod Security Standard *restricted*. Empty: none.""",
    ).tag(config=True)

    proxy = List(
        Dict(),
        help="""Who may reach sessions, as the peers of a NetworkPolicy: JupyterLab's pods, and the
        controller, which reads their activity, for example
        [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "hub"}},
        "podSelector": {"matchLabels": {"component": "singleuser-server"}}}]. Empty: nobody;
        port-forwards still do, as they reach a pod from inside.""",
    ).tag(config=True)

    controller_url = Unicode(
        help="""Where sessions reach this controller, if it is hosted by https in the cluster: for
        example https://controller.jupyter-gpuquota.svc:8443. Then sessions can be launched and
        opened from inside a session, in its project.""",
    ).tag(config=True)

    controller_ca = Unicode(
        help="""File with the certificate authorities (PEM) that verify its certificate in sessions.
        Default: those of the image.""",
    ).tag(config=True)

    env = Dict(
        Unicode(),
        help="Environment variables of all sessions, such as HTTPS_PROXY.",
    ).tag(config=True)

    node_type_labels = List(
        Unicode(),
        default_value=list(GROUP_LABELS),
        help="Labels of nodes whose values are the node groups of projects and sessions.",
    ).tag(config=True)

    cpu = Unicode(help="CPUs that a session requests by default: 2 or 500m.").tag(config=True)

    memory = Unicode(help="Memory that a session requests by default: 4Gi.").tag(config=True)

    tolerations = List(
        Unicode(),
        help="""Taints that all sessions tolerate, as KEY[=VALUE][:EFFECT]. Sessions with a GPU
        tolerate the taint with the name of its resource, such as nvidia.com/gpu, anyway.""",
    ).tag(config=True)

    pull_secrets = List(
        Unicode(),
        help="Secrets of the projects' namespaces with which images are pulled.",
    ).tag(config=True)

    pull_policy = Unicode(
        help="When images are pulled: Always, IfNotPresent or Never. Default: the cluster's.",
    ).tag(config=True)

    start_timeout = Float(
        3600.0,
        min=0.0,
        help="""Seconds after which a session that has a node but is not ready has failed to start:
        pulling its image counts, waiting for GPUs does not. 0: never.""",
    ).tag(config=True)

    service_account = Unicode(
        help="""Service account of sessions in the projects' namespaces; its token is not mounted.
        Default: `default`.""",
    ).tag(config=True)

    run_as = Unicode(
        "1000:100",
        help="User and group that sessions run as, as numbers; volumes belong to the group.",
    ).tag(config=True)

    mpi_sshd = List(
        Unicode(),
        default_value=list(PodDefaults().mpi_sshd),
        help="""Command of the workers of MPIJobs: an SSH server in the foreground, at port 22. The
        default suits images that are made from those of the MPI Operator.""",
    ).tag(config=True)

    mpi_ssh_path = Unicode(
        PodDefaults().mpi_ssh_path,
        help="Folder for the SSH keys of MPIJobs, of the user that sessions run as.",
    ).tag(config=True)

    training_runtime = Unicode(
        help="""The ClusterTrainingRuntime of Kubeflow's Trainer with which trainings of several
        processes are TrainJobs, such as the one in deploy/training-runtime.yaml. Empty, and where
        its template does not fit a request: they are Indexed Jobs.""",
    ).tag(config=True)

    def images(self) -> Images:
        """Return the images of sessions. Raises TraitError."""
        presets = read(self.environments, Preset, "environments")
        check_names([preset.id for preset in presets], "environments")
        default = next((p for p in presets if p.default), presets[0] if presets else None)
        listed = (
            Environment(id=p.id, label=p.label or p.id, image=p.image, default=p is default)
            for p in presets
        )
        return Images(tuple(listed), tuple(self.allowed_images), self._home())

    def containers(self) -> ContainerRules:
        """Return what options of sessions may be. Raises TraitError."""
        paths = tuple(str(absolute(path, "host_paths")) for path in self.host_paths)
        return ContainerRules(
            host_paths=paths,
            reserved=(self._home(),),
            name_limit=NAME_LIMIT,
            secrets=f"{PREFIX}*",
            claims=self.home_claim.replace("{user}", "*"),
        )

    def pod_defaults(self) -> PodDefaults:
        """Return what all pods have in common. Raises TraitError."""
        options = self._options()
        common = PodDefaults()
        user, group = options.run_as_user, options.run_as_group
        return PodDefaults(
            server=tuple(self.server_command) or common.server,
            home=self._home(),
            home_claim=self.home_claim,
            run_as_user=common.run_as_user if user is None else user,
            run_as_group=common.run_as_group if group is None else group,
            cpu=options.cpu,
            memory=options.memory,
            pull_policy=options.pull_policy,
            pull_secrets=options.pull_secrets,
            service_account=options.service_account,
            tolerations=options.tolerations,
            env=dict(self.env),
            node_type_labels=tuple(self.node_type_labels),
            proxy=tuple(self.proxy),
            controller_url=_checked_url(self.controller_url),
            controller_ca=_text_of(self.controller_ca),
            data_claim=self.dataset_claim,
            mpi_sshd=tuple(self.mpi_sshd),
            mpi_ssh_path=self.mpi_ssh_path,
            training_runtime=self.training_runtime,
        )

    def _home(self) -> str:
        return str(absolute(self.home, "home"))

    def _options(self) -> PodOptions:
        reader = FieldReader()
        values: dict[str, Any] = {name: getattr(self, name) for name in _OPTIONS}
        request = msgspec.convert({"name": "all", **values}, SessionRequest)
        found = read_options(request, ContainerRules(), reader)
        if reader.errors:
            texts = (f"{e.field}: {e.message} {e.hint}".strip() for e in reader.errors)
            raise TraitError("; ".join(texts))
        return found or PodOptions()


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if url and not (parts.scheme == "https" and parts.hostname and "@" not in parts.netloc):
        raise TraitError("controller_url: Write an address such as https://HOST:PORT.")
    return url


def _text_of(path: str) -> str:
    """Return the text of a file, empty where none is named. Raises TraitError."""
    try:
        return Path(path).read_text(encoding="ascii") if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise TraitError(f"controller_ca: {path} cannot be read: {error}") from error
