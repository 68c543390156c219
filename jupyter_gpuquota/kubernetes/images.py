"""Images and folders that sessions may start from, by the configuration. Pure functions."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from msgspec.structs import replace

from ..model.environments import Environment, LaunchPlace
from ..model.sessions import SessionRequest

_REFERENCE = re.compile(
    r"(?=.{1,1000}\Z)"
    r"(?:[a-zA-Z0-9](?:[-a-zA-Z0-9.]*[a-zA-Z0-9])?(?::\d{1,5})?/)?"
    r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::\w[\w.-]{0,127})?"
    r"(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?",
    re.ASCII,
)
"""A reference to an image (https://github.com/distribution/reference)."""


@dataclass(frozen=True, slots=True)
class Images:
    """What sessions may start from.

    `presets` are listed. `allowed` are patterns of further images: `*` stands
    for any characters but a slash, `**` for any characters. `folder` is the one that sessions work
    in unless they name another, as an absolute path in the container.
    """

    presets: Sequence[Environment] = ()
    allowed: Sequence[str] = ()
    folder: str = "/"

    @property
    def listed(self) -> tuple[Environment, ...]:
        """The presets; the first is the default if no other one is."""
        presets = tuple(self.presets)
        if any(preset.default for preset in presets):
            return presets
        return tuple(replace(preset, default=preset is presets[0]) for preset in presets)

    def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Return the environment and the folder that a request names, with what is wrong."""
        environment = self._environment(request.environment)
        folder = request.folder or self.folder
        return LaunchPlace(
            environment=environment,
            environment_problem="" if environment else self._why_none(request.environment),
            folder=posixpath.normpath(folder) if folder.startswith("/") else folder,
            folder_problem=_folder_problem(folder),
        )

    def allows(self, image: str) -> bool:
        """Return whether the patterns allow an image; a preset is always allowed."""
        listed = any(preset.image == image for preset in self.presets)
        return listed or any(_pattern(text).fullmatch(image) for text in self.allowed)

    def _environment(self, name: str) -> Environment | None:
        if not name:
            return next((preset for preset in self.listed if preset.default), None)
        named = (preset for preset in self.presets if name in (preset.id, preset.image))
        if preset := next(named, None):
            return preset
        if not _REFERENCE.fullmatch(name) or not self.allows(name):
            return None
        return Environment(id=name, label=name, image=name)

    def _why_none(self, name: str) -> str:
        if not name:
            return "No environment is configured."
        if not _REFERENCE.fullmatch(name):
            return f"{name!r} is not the name of an image."
        if not self.allowed:
            return "Only listed environments are allowed."
        return f"Image {name} is not allowed; allowed are {', '.join(self.allowed)}."


def _folder_problem(folder: str) -> str:
    if not folder.startswith("/"):
        return "Enter the absolute path of a folder in the container."
    if not folder.isprintable():
        return "The path of the folder contains a character that cannot be printed."
    if ".." in folder.split("/"):
        return "The path of the folder must not contain '..'."
    return ""


@lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", text)
    known = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(known.get(part, re.escape(part)) for part in parts))
