"""Versions of datasets."""

from __future__ import annotations

from ...model.datasets.names import check_ref, parse_name
from ...model.datasets.versions import LATEST, TagRequest, Version
from ...model.struct import Page
from ..listing import Listing, Table
from .naming import OfVersions

VERSIONS = Table[Version](
    columns={
        "version": lambda each: each.id,
        "tags": lambda each: list(each.tags),
        "time": lambda each: each.time,
        "author": lambda each: each.author,
        "message": lambda each: each.message,
        "files": lambda each: each.files,
        "size": lambda each: each.size,
        "added": lambda each: each.added,
        "copy": lambda each: each.copy.state if each.copy else "",
        "folder": lambda each: each.copy.folder if each.copy else "",
        "source": lambda each: each.source,
        "parents": lambda each: list(each.parents),
        "dataset": lambda each: each.dataset,
    },
    shown=("version", "tags", "time", "author", "message", "files", "size", "copy"),
    empty="No versions.",
)
"""`size` and `added` are in bytes; `added` is what the commit sent to the lake."""


class Versions(OfVersions):
    """The versions of a dataset and their tags."""

    def versions(self, name: str) -> Listing[Version, Page[Version]]:
        """List the versions of a dataset, newest first. Raises NotFound."""
        named = parse_name(name)
        page: Page[Version] = self._context.call("versions.list", {"dataset": named.dataset})
        return Listing(page, page.items, VERSIONS)

    def show(self, name: str) -> Version:
        """Return the version `NAME@REF`. Raises NotFound, Ambiguous."""
        version: Version = self._call_version("versions.get", name)
        return version

    def tag(self, name: str, tag: str) -> Version:
        """Let a tag name the version `NAME@REF`; it moves if it named another one.

        Raises InvalidFields, NotFound, NotAllowed.
        """
        named = parse_name(name)
        check_ref("tag", tag)
        request = TagRequest(version=named.ref or LATEST)
        args = {"dataset": named.dataset, "tag": tag}
        version: Version = self._context.call("versions.tag", args, body=request)
        return version

    def untag(self, name: str, tag: str) -> None:
        """Remove a tag from a dataset; its version stays. Raises NotFound, NotAllowed."""
        check_ref("tag", tag)
        args = {"dataset": parse_name(name).dataset, "tag": tag}
        self._context.call("versions.untag", args)
