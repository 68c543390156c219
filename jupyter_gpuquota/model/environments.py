"""Environments: Python prefixes, or images, in which sessions run."""

from __future__ import annotations

from .struct import Model, Request


class Environment(Model, frozen=True, kw_only=True):
    """A Python prefix or an image.

    `python` is the prefix's interpreter. `problem` says why no Jupyter Server can run in it, empty
    if one can.
    """

    id: str
    label: str
    prefix: str = ""
    python: str = ""
    image: str = ""
    default: bool = False
    problem: str = ""


class EnvironmentQuery(Request, frozen=True, kw_only=True):
    """Where a session would run; without a `project`, in the first cluster."""

    project: str = ""


class Environments(Model, frozen=True, kw_only=True):
    """What sessions may be started from."""

    environments: tuple[Environment, ...]


class LaunchPlace(Model, frozen=True, kw_only=True):
    """The environment and folder that a request names, as found on the machine.

    `environment` is None if it does not exist; `environment_problem` may say why. `folder` is
    absolute; `folder_problem` says why the user cannot work there, empty if they can.
    """

    environment: Environment | None
    environment_problem: str = ""
    folder: str
    folder_problem: str = ""
