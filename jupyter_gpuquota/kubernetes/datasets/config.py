"""Configuration of cached datasets on a cluster: a part of `c.KubernetesConfig`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from traitlets import Dict, Int, List, TraitError, Unicode
from traitlets.config import Configurable

from ...core.datasets.settings import check_data
from ...core.fields import FieldReader
from ...core.requests.pods import read_options
from ...errors import FieldError, InvalidFields
from ...model.datasets.datasets import Lake
from ...model.datasets.settings import DataSettingsRequest, LakeRequest
from ...model.pods import ContainerRules, PodOptions
from ...model.sessions import SessionRequest
from ..builders.helper_pod import DataJobSettings


class DatasetConfig(Configurable):
    """Settings of the cache of datasets, and of the Jobs that work on it."""

    dataset_claim = Unicode(
        help="""Name of the claim (ReadWriteMany) with the cache of datasets, in each project's
        namespace. Empty: the cluster has no cache, and sessions cannot mount datasets.""",
    ).tag(config=True)

    dataset_namespace = Unicode(
        help="""One cache for all projects: the namespace in which Jobs work on it. The claims of
        the projects' namespaces are then of the same volume. Empty: a cache for each project.""",
    ).tag(config=True)

    dataset_image = Unicode(
        help="""Image of the Jobs, with jupyter_gpuquota of the controller's version.""",
    ).tag(config=True)

    dataset_pull_secrets = List(
        Unicode(), help="Secrets with credentials for the registry of that image."
    ).tag(config=True)

    dataset_cpu = Unicode("500m", help="CPUs that a Job requests.").tag(config=True)

    dataset_memory = Unicode("1Gi", help="Memory that a Job requests, and its limit.").tag(
        config=True
    )

    dataset_deadline = Int(24 * 3600, min=60, help="Seconds that a Job may take.").tag(config=True)

    dataset_env = Dict(
        Unicode(), help="Environment variables of Jobs, such as HTTPS_PROXY or AWS_ENDPOINT_URL."
    ).tag(config=True)

    dataset_labels = Dict(
        Unicode(),
        help="""Labels of Jobs, for example {"kueue.x-k8s.io/queue-name": "data"} where Kueue holds
        back Jobs without a queue.""",
    ).tag(config=True)

    dataset_tolerations = List(
        Unicode(), help="Taints of nodes that Jobs tolerate, as in `kubectl taint`."
    ).tag(config=True)

    dataset_lakes = List(
        Dict(),
        help="""Lakes for as long as administrators have set up none: for example
        [{"name": "main", "url": "s3://team-a/data", "credentials": "lake-keys"}] with the name of
        a Secret as `credentials`. A controller with your own credentials has no others.""",
    ).tag(config=True)

    def lakes(self) -> tuple[Lake, ...]:
        """Return the lakes of `dataset_lakes`, the default one first. Raises TraitError."""
        try:
            asked = msgspec.convert(list(self.dataset_lakes), tuple[LakeRequest, ...])
            projects = {name for lake in asked for name in lake.projects}
            return check_data(DataSettingsRequest(lakes=asked), sorted(projects)).lakes
        except msgspec.ValidationError as error:
            raise TraitError(f"dataset_lakes: {error}") from error
        except InvalidFields as error:
            raise _refused(error.fields) from error

    def data_jobs(self, run_as_user: int, run_as_group: int) -> DataJobSettings:
        """Return the settings of Jobs. Raises TraitError."""
        if self.dataset_claim and not self.dataset_image:
            raise TraitError("dataset_image: Name the image of the Jobs that fill dataset_claim.")
        options = self._read()
        return DataJobSettings(
            image=self.dataset_image,
            pull_secrets=options.pull_secrets,
            cpu=options.cpu,
            memory=options.memory,
            deadline=self.dataset_deadline,
            run_as_user=run_as_user,
            run_as_group=run_as_group,
            tolerations=options.tolerations,
            env=dict(self.dataset_env),
            labels=dict(self.dataset_labels),
        )

    def _read(self) -> PodOptions:
        """Return what is written as in requests of sessions."""
        values: dict[str, Any] = {
            "pull_secrets": list(self.dataset_pull_secrets),
            "cpu": self.dataset_cpu,
            "memory": self.dataset_memory,
            "tolerations": list(self.dataset_tolerations),
        }
        reader = FieldReader()
        request = msgspec.convert({"name": "all", **values}, SessionRequest)
        found = read_options(request, ContainerRules(), reader)
        if reader.errors:
            raise _refused(reader.errors)
        return found or PodOptions()


def _refused(errors: Iterable[FieldError]) -> TraitError:
    """Return the error that says what is wrong with each setting."""
    return TraitError(
        "; ".join(f"dataset_{each.field}: {each.message} {each.hint}".strip() for each in errors)
    )
