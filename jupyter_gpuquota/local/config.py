"""Configuration of the local backend: `c.LocalConfig`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
from traitlets import Bool, Dict, Enum, Float, Integer, List, Unicode, default, validate
from traitlets.config import Configurable

from .. import accounts
from ..control.config import absolute, check_names, read
from ..model.struct import Request


class SimulatedNode(Request, frozen=True, kw_only=True):
    """A simulated machine: `gpus` devices of `memory` MiB each.

    `labels` are the node groups that it belongs to; see `Node` for `separate`.
    """

    name: str
    gpus: Annotated[int, msgspec.Meta(ge=1, le=64)]
    memory: Annotated[int, msgspec.Meta(ge=1)] = 32_768
    model: str = "GPU"
    labels: tuple[str, ...] = ()
    separate: bool = False


class LocalConfig(Configurable):
    """Settings of sessions on this machine."""

    devices = Enum(
        ("auto", "nvml", "simulated"),
        default_value="auto",
        help="""Where GPUs come from. `nvml`: the NVIDIA driver. `simulated`: `simulated_nodes`.
        `auto`: the driver if it has a GPU, else `simulated_nodes`.""",
    ).tag(config=True)

    simulated_nodes = List(
        Dict(),
        help="""Simulated machines, to try the product without a GPU, for example
        [{"name": "dgx1-1", "gpus": 8, "memory": 32768, "model": "V100-32GB"}]; memory in MiB.
        Their sessions are real processes; their GPUs are always shown as simulated.""",
    ).tag(config=True)

    environments = List(
        Unicode(),
        help="""Python prefixes that sessions may start from, in addition to those that are
        detected: the controller's own, those of kernels, and conda's.""",
    ).tag(config=True)

    root_dir = Unicode(
        help="""Base of relative folders in requests, and the folder of requests without one.
        Default: the account's home.""",
    ).tag(config=True)

    stop_grace = Float(
        10.0,
        min=0.0,
        help="Seconds for a session to end by itself before it is killed.",
    ).tag(config=True)

    start_timeout = Float(
        120.0,
        min=1.0,
        help="Seconds after which a Jupyter Server that is not ready has failed to start.",
    ).tag(config=True)

    log_bytes = Integer(
        10 * 1024 * 1024,
        min=4096,
        help="Size, in bytes, at which a session's log is rotated.",
    ).tag(config=True)

    log_files = Integer(
        3, min=0, help="Number of rotated logs that are kept for each session."
    ).tag(config=True)

    poll_interval = Float(
        5.0,
        min=0.1,
        help="Seconds between two readings of the GPUs, while a session runs or a page is open.",
    ).tag(config=True)

    mps_control = Unicode(
        "nvidia-cuda-mps-control",
        help="""Name or path of NVIDIA's program that talks to the MPS control daemon. Empty: MPS
        never enforces shares.""",
    ).tag(config=True)

    debugger = Bool(
        None,
        allow_none=True,
        help="""Whether kernels of sessions have a debugger. It listens on a port of loopback
        without a password: who connects can run code in the kernel. Default: where nobody else has
        an account on the machine.""",
    ).tag(config=True)

    gpus = Unicode(
        None,
        allow_none=True,
        help="""The GPUs that are offered, as in CUDA_VISIBLE_DEVICES: numbers of nvidia-smi or
        UUIDs, separated by commas. Default: those of the controller's CUDA_VISIBLE_DEVICES, such
        as Slurm sets it, else all.""",
    ).tag(config=True)

    mps_pipe_dir = Unicode(
        help="""Pipe folder of the MPS control daemon. Default: the environment variable
        CUDA_MPS_PIPE_DIRECTORY, else /tmp/nvidia-mps.""",
    ).tag(config=True)

    cache_dir = Unicode(
        help="""Folder of cached versions of datasets; several machines may share it. Default:
        data/cache in the state folder.""",
    ).tag(config=True)

    cache_capacity = Integer(
        0,
        min=0,
        help="""Bytes that cached versions may take. Default: 80 % of the file system of
        `cache_dir`.""",
    ).tag(config=True)

    @default("root_dir")
    def _default_root_dir(self) -> str:
        return str(accounts.home() or Path.cwd())

    @default("mps_pipe_dir")
    def _default_mps_pipe_dir(self) -> str:
        return os.environ.get("CUDA_MPS_PIPE_DIRECTORY") or "/tmp/nvidia-mps"  # noqa: S108 (NVIDIA's)

    @validate("root_dir")
    def _absolute(self, proposal: Any) -> str:
        return str(absolute(proposal["value"], "root_dir"))

    @validate("cache_dir")
    def _check_cache_dir(self, proposal: Any) -> str:
        return str(absolute(proposal["value"], "cache_dir")) if proposal["value"] else ""

    @validate("simulated_nodes")
    def _check_nodes(self, proposal: Any) -> list[dict[str, Any]]:
        nodes = read(proposal["value"], SimulatedNode, "simulated_nodes")
        check_names([node.name for node in nodes], "simulated_nodes")
        return list(proposal["value"])

    def nodes(self) -> list[SimulatedNode]:
        """Return the validated simulated nodes."""
        return read(self.simulated_nodes, SimulatedNode, "simulated_nodes")
