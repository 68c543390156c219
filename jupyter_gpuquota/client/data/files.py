"""Files of versions: listed, compared, read."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import FieldError, InvalidFields, refused
from ...model.datasets.files import (
    CompareQuery,
    Comparison,
    ContentChunk,
    ContentQuery,
    DataFile,
    Difference,
    FilePreview,
    FileQuery,
    PreviewQuery,
)
from ...model.datasets.names import (
    DataName,
    parse_name,
    received_path,
    shown_path,
    travelling_path,
)
from ...model.datasets.versions import LATEST
from ...model.struct import Page
from ..listing import Listing, Table
from .naming import OfVersions, args_of, version_args

PAGE = 1000
"""Entries that are asked for at a time."""

FILES = Table[DataFile](
    columns={
        "path": lambda each: received_path(each.path, raw=each.raw),
        "kind": lambda each: each.kind,
        "size": lambda each: each.size,
        "files": lambda each: each.files,
        "sha256": lambda each: each.sha256,
        "executable": lambda each: each.executable,
        "target": lambda each: each.target,
    },
    shown=("path", "kind", "size", "files"),
    empty="No files.",
)
"""`size` is in bytes, and for a folder that of everything below it."""

DIFFERENCES = Table[Difference](
    columns={
        "path": lambda each: received_path(each.path, raw=each.raw),
        "change": lambda each: each.change,
        "before": lambda each: each.before,
        "after": lambda each: each.after,
        "sha256_before": lambda each: each.sha256_before,
        "sha256_after": lambda each: each.sha256_after,
    },
    shown=("path", "change", "before", "after"),
    empty="No differences.",
)
"""Sizes are in bytes."""


class Files(OfVersions):
    """The files of versions."""

    def files(
        self, name: str, *, match: str = "", deep: bool = False, limit: int = 0
    ) -> Listing[DataFile, Page[DataFile]]:
        """List a folder of a version, `NAME@REF:PATH`; without a path its root.

        `match` lists only names that contain it, in the folder and below; `deep` lists all files
        below the folder. `limit` ends the list; by default it is whole. Raises NotFound.
        """
        items: list[DataFile] = []
        page: Page[DataFile] | None = None
        for page in self.file_pages(name, match=match, deep=deep, limit=limit):
            items.extend(page.items)
        assert page  # noqa: S101 (there is one at least)
        left = page.next if len(items) < page.total else ""
        whole = Page(items=tuple(items), total=page.total, revision=page.revision, next=left)
        return Listing(whole, whole.items, FILES)

    def file_pages(
        self, name: str, *, match: str = "", deep: bool = False, limit: int = 0
    ) -> Iterator[Page[DataFile]]:
        """Iterate over the pages of the same list; there is one at least."""
        named = parse_name(name)
        path, raw = travelling_path(named.path)
        cursor, left = "", limit
        while True:
            query = FileQuery(
                path=path,
                raw=raw,
                match=match,
                deep=deep,
                limit=min(PAGE, left or PAGE),
                cursor=cursor,
            )
            page: Page[DataFile] = self._context.call("versions.files", args_of(named), query=query)
            yield page
            cursor, left = page.next, left - len(page.items)
            if not cursor or (limit and left <= 0):
                return

    def diff(self, before: str, after: str = "") -> Listing[Difference, Comparison]:
        """List what differs between two versions of a dataset, `NAME@A` and `NAME@B`.

        Without `after` the latest version is meant. Raises NotFound, Ambiguous.
        """
        args = version_args(before)
        other = parse_name(after or args["dataset"])
        if other.dataset != args["dataset"]:
            message = "Only versions of the same dataset can be compared."
            hint = f"For example {DataName(args['dataset'], LATEST).text}."
            raise refused(FieldError("other", message, hint))
        items: list[Difference] = []
        cursor = ""
        while True:
            query = CompareQuery(other=other.ref or LATEST, limit=PAGE, cursor=cursor)
            page: Comparison = self._context.call("versions.compare", args, query=query)
            items.extend(page.items)
            cursor = page.next
            if not cursor:
                break
        whole = Comparison(
            items=tuple(items),
            total=page.total,
            revision=page.revision,
            before=page.before,
            after=page.after,
            added=page.added,
            removed=page.removed,
            changed=page.changed,
        )
        return Listing(whole, whole.items, DIFFERENCES)

    def cat(self, name: str) -> Iterator[bytes]:
        """Iterate over the bytes of a file, `NAME@REF:PATH`. Raises NotFound, WrongState."""
        named = with_path(name)
        path, raw = travelling_path(named.path)
        offset = 0
        while True:
            query = ContentQuery(path=path, raw=raw, offset=offset)
            chunk: ContentChunk = self._context.call(
                "versions.content", args_of(named), query=query
            )
            yield chunk.data
            offset += len(chunk.data)
            if chunk.ended or not chunk.data:
                return

    def read(self, name: str) -> bytes:
        """Return the bytes of a file, `NAME@REF:PATH`. Raises NotFound, WrongState."""
        return b"".join(self.cat(name))

    def preview(self, name: str) -> FilePreview:
        """Return what a file looks like: text, the first rows of a table, or an image."""
        named = with_path(name)
        path, raw = travelling_path(named.path)
        query = PreviewQuery(path=path, raw=raw)
        found: FilePreview = self._context.call("versions.preview", args_of(named), query=query)
        return found


def with_path(name: str) -> DataName:
    """Return what `NAME@REF:PATH` names. Raises InvalidFields without a path."""
    named = parse_name(name)
    if not named.path:
        raise no_path(named)
    return named


def no_path(named: DataName) -> InvalidFields:
    """Return the error for a name that lacks a path."""
    hint = f"For example {shown_path(DataName(named.dataset, named.ref or LATEST).text)}:PATH."
    return refused(FieldError("path", "Name a file of the version.", hint))
