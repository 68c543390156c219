"""Files of versions: listed, compared, read.

A path that is not UTF-8 is base64 of its bytes, with `raw` true, as in manifests.
"""

from __future__ import annotations

from typing import Literal

from ..struct import Model, Open, Page, Request

FileKind = Literal["file", "folder", "link"]
FileChange = Literal["added", "removed", "changed"]
PreviewKind = Literal["text", "table", "image", "binary", "none"]


class DataFile(Model, frozen=True, kw_only=True):
    """One entry of a folder of a version.

    `name` is the last part of the path, as it can be shown. `size` and `files` of a folder are
    those of everything below it. `target` is where a link leads.
    """

    path: str
    raw: bool = False
    name: str
    kind: Open[FileKind]
    size: int = 0
    files: int = 1
    sha256: str = ""
    executable: bool = False
    target: str = ""


class FileQuery(Request, frozen=True, kw_only=True):
    """Which entries of a version to list: those of a folder, by default of the root.

    `match` lists only names that contain it, in the folder and below. `deep` lists all files below
    the folder instead of its entries. As a version never changes, `cursor` is the number of entries
    before the page, so that a reader can go to any of them.
    """

    path: str = ""
    raw: bool = False
    match: str = ""
    deep: bool = False
    limit: int = 200
    cursor: str = ""


class Difference(Model, frozen=True, kw_only=True):
    """One path that differs between two versions; sizes and hashes are those before and after."""

    path: str
    raw: bool = False
    change: Open[FileChange]
    before: int = 0
    after: int = 0
    sha256_before: str = ""
    sha256_after: str = ""


class Comparison(Page[Difference], frozen=True, kw_only=True):
    """One page of what differs between two versions, and how many paths differ in all."""

    before: str
    after: str
    added: int = 0
    removed: int = 0
    changed: int = 0


class CompareQuery(Request, frozen=True, kw_only=True):
    """The version to compare with, as a reference, and which page of differences to return.

    `match` returns only paths that contain it, `change` only such changes. `cursor` is the number
    of differences before the page.
    """

    other: str
    match: str = ""
    change: Literal["", "added", "removed", "changed"] = ""
    limit: int = 200
    cursor: str = ""


class ContentQuery(Request, frozen=True, kw_only=True):
    """Which bytes of a file to read; at most a mebibyte at a time."""

    path: str
    raw: bool = False
    offset: int = 0


class ContentChunk(Model, frozen=True, kw_only=True):
    """Some bytes of a file; `size` is that of the whole file."""

    data: bytes
    offset: int
    size: int

    @property
    def ended(self) -> bool:
        """Whether these are the last bytes."""
        return self.offset + len(self.data) >= self.size


class PreviewQuery(Request, frozen=True, kw_only=True):
    """The file to preview."""

    path: str
    raw: bool = False


class FilePreview(Model, frozen=True, kw_only=True):
    """What a file looks like: text, a table's first rows, or an image.

    `data` are the bytes of an image of `media_type`. `truncated`: the file goes on. `why` says why
    there is no preview.
    """

    kind: Open[PreviewKind]
    text: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    media_type: str = ""
    data: bytes = b""
    truncated: bool = False
    why: str = ""
