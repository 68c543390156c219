"""Environments: Python prefixes in which sessions run."""

from __future__ import annotations

from .base import Model


class Environment(Model, frozen=True, kw_only=True):
    """Be a Python prefix. `problem` says why it cannot run a Jupyter Server, empty if it can."""

    id: str
    label: str
    prefix: str
    python: str
    default: bool = False
    problem: str = ""


class Environments(Model, frozen=True, kw_only=True):
    """List what a session may be started from."""

    environments: tuple[Environment, ...]


class LaunchPlace(Model, frozen=True, kw_only=True):
    """Be what the outside knows of the environment and folder that a request names.

    `environment` is None when no such prefix exists. `folder` is absolute; `folder_problem`
    says why the user cannot work there, empty if they can.
    """

    environment: Environment | None
    folder: str
    folder_problem: str = ""
