"""The kinds of objects that are read and written, and their paths in the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote

from .objects.cluster import ConfigMap, KubeNode, Lease, Namespace, ResourceQuota
from .objects.devices import ResourceClaim, ResourceSlice
from .objects.meta import Object
from .objects.pods import Event, Pod
from .objects.storage import AttributesClass, Claim, ClassOfStorage, PersistentVolume
from .objects.workloads import Job, MpiJob, StatefulSet, TrainingRuntime, TrainJob

T = TypeVar("T", bound=Object)


@dataclass(frozen=True, slots=True)
class Resource(Generic[T]):
    """A kind of objects: its place in the API, and the record that it is decoded to.

    `group` is empty for the core API.
    """

    group: str
    version: str
    plural: str
    kind: str
    record: type[T]
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """Return `apiVersion` as manifests give it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Return the path of an object, or of the list in a namespace or of all of them."""
        base = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = ["namespaces", quote(namespace, safe="")] if self.namespaced and namespace else []
        parts = [base, *scope, self.plural, quote(name, safe=""), subresource]
        return "/".join(part for part in parts if part)


PODS = Resource("", "v1", "pods", "Pod", Pod)
EVENTS = Resource("", "v1", "events", "Event", Event)
NODES = Resource("", "v1", "nodes", "Node", KubeNode, namespaced=False)
NAMESPACES = Resource("", "v1", "namespaces", "Namespace", Namespace, namespaced=False)
CLAIMS = Resource("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", Claim)
PERSISTENT_VOLUMES = Resource(
    "", "v1", "persistentvolumes", "PersistentVolume", PersistentVolume, namespaced=False
)
STORAGE_CLASSES = Resource(
    "storage.k8s.io", "v1", "storageclasses", "StorageClass", ClassOfStorage, namespaced=False
)
ATTRIBUTES_CLASSES = Resource(
    "storage.k8s.io",
    "v1",
    "volumeattributesclasses",
    "VolumeAttributesClass",
    AttributesClass,
    namespaced=False,
)
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap", ConfigMap)
SECRETS = Resource("", "v1", "secrets", "Secret", Object)
SERVICES = Resource("", "v1", "services", "Service", Object)
RESOURCE_QUOTAS = Resource("", "v1", "resourcequotas", "ResourceQuota", ResourceQuota)
STATEFUL_SETS = Resource("apps", "v1", "statefulsets", "StatefulSet", StatefulSet)
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease", Lease)
JOBS = Resource("batch", "v1", "jobs", "Job", Job)
MPI_JOBS = Resource("kubeflow.org", "v2beta1", "mpijobs", "MPIJob", MpiJob)
TRAINER_GROUP, TRAINER_VERSION = "trainer.kubeflow.org", "v1alpha1"
TRAIN_JOBS = Resource(TRAINER_GROUP, TRAINER_VERSION, "trainjobs", "TrainJob", TrainJob)
TRAINING_RUNTIMES = Resource(
    TRAINER_GROUP,
    TRAINER_VERSION,
    "clustertrainingruntimes",
    "ClusterTrainingRuntime",
    TrainingRuntime,
    namespaced=False,
)
JOB_SETS = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet", Object)
DEVICE_GROUP, DEVICE_VERSION = "resource.k8s.io", "v1"
RESOURCE_SLICES = Resource(
    DEVICE_GROUP,
    DEVICE_VERSION,
    "resourceslices",
    "ResourceSlice",
    ResourceSlice,
    namespaced=False,
)
RESOURCE_CLAIMS = Resource(
    DEVICE_GROUP, DEVICE_VERSION, "resourceclaims", "ResourceClaim", ResourceClaim
)
CLAIM_TEMPLATES = Resource(
    DEVICE_GROUP, DEVICE_VERSION, "resourceclaimtemplates", "ResourceClaimTemplate", Object
)
NETWORK_POLICIES = Resource("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", Object)
