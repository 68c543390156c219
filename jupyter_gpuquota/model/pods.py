"""What a session that runs in a container requests beside its GPU share."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from .struct import Model, Number, Request
from .volumes.mounts import Mount

PullPolicy = Literal["Always", "IfNotPresent", "Never"]
Effect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class Toleration(Model, frozen=True, kw_only=True):
    """A taint of nodes that a session tolerates.

    Without a `value` any value of the key is tolerated, without an `effect` any effect.
    """

    key: str
    value: str = ""
    effect: str = ""


class SecretKey(Model, frozen=True, kw_only=True):
    """One value in a Secret."""

    secret: str
    key: str


class ClaimMount(Model, frozen=True, kw_only=True):
    """A claim, or a folder of the node, at a path: how earlier versions stored a mount."""

    claim: str = ""
    host_path: str = ""
    path: str
    read_only: bool = False

    @property
    def mount(self) -> Mount:
        """The same, as it is stored now."""
        return Mount(
            volume=self.claim,
            host_path=self.host_path,
            path=self.path,
            read_only=self.read_only,
        )


class PodRequest(Request, frozen=True, kw_only=True):
    """The requested options of a container, as a user types them; only where sessions have one.

    CPUs are `2` or `500m`, memory is MiB or a quantity. `tolerations` are `KEY[=VALUE][:EFFECT]`,
    `run_as` is `USER[:GROUP]` in numbers. `secret_env` maps environment variables to `SECRET/KEY`.
    """

    cpu: Number = ""
    cpu_limit: Number = ""
    memory: Number = ""
    memory_limit: Number = ""
    large_shm: bool = False
    tolerations: tuple[str, ...] = ()
    pull_secrets: tuple[str, ...] = ()
    pull_policy: str = ""
    service_account: str = ""
    run_as: Number = ""
    secret_env: dict[str, str] = msgspec.field(default_factory=dict)


class PodOptions(Model, frozen=True, kw_only=True):
    """Checked options of a container; 0, empty and None stand for the cluster's defaults.

    CPUs are millicores, memory MiB. `large_shm` is a /dev/shm of more than 64 MiB. `secret_env`
    sets environment variables from Secrets. `mounts` are the volumes of sessions that an earlier
    version launched.
    """

    cpu: int = 0
    cpu_limit: int = 0
    memory: int = 0
    memory_limit: int = 0
    large_shm: bool = False
    tolerations: tuple[Toleration, ...] = ()
    pull_secrets: tuple[str, ...] = ()
    pull_policy: str = ""
    service_account: str = ""
    run_as_user: int | None = None
    run_as_group: int | None = None
    secret_env: dict[str, SecretKey] = msgspec.field(default_factory=dict)
    mounts: tuple[ClaimMount, ...] = ()


@dataclass(frozen=True, slots=True)
class ContainerRules:
    """What a backend whose sessions are containers allows in their options.

    `host_paths` are folders of nodes that may be mounted, with what is below them. `reserved` are
    paths in the container where sessions have volumes of their own. `name_limit` is the length of
    the longest name whose objects still have valid names. Users may not name Secrets and claims
    that match `secrets` and `claims`, where `*` stands for any characters: they belong to sessions
    and other users. `processes` is the most that one training may have;
    `apart`: they start one by one, and not all or none.
    """

    host_paths: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    name_limit: int = 63
    secrets: str = ""
    claims: str = ""
    processes: int = 1
    apart: bool = False

    def keeps_secret(self, name: str) -> bool:
        """Return whether a Secret is not for users to name."""
        return fnmatchcase(name, self.secrets)

    def keeps_claim(self, name: str) -> bool:
        """Return whether a claim is not for users to name."""
        return fnmatchcase(name, self.claims)
