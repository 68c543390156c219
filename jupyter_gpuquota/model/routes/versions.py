"""The routes of versions of datasets."""

from __future__ import annotations

from ..datasets.caches import VerifyRequest
from ..datasets.files import (
    CompareQuery,
    Comparison,
    ContentChunk,
    ContentQuery,
    DataFile,
    FilePreview,
    FileQuery,
    PreviewQuery,
)
from ..datasets.jobs import Job
from ..datasets.versions import TagRequest, Version, VersionReport
from ..struct import Nothing, Page
from .route import Route

_ONE = "/datasets/{dataset}"
_VERSION = f"{_ONE}/versions/{{version}}"

ROUTES: tuple[Route, ...] = (
    Route(
        "versions.list",
        "GET",
        f"{_ONE}/versions",
        Page[Version],
        "List the versions of a dataset, newest first",
        noun="datasets",
    ),
    Route("versions.get", "GET", _VERSION, Version, "Show a version", noun="datasets"),
    Route(
        "versions.put",
        "PUT",
        _VERSION,
        Version,
        "Report a version that a process has added to a lake",
        request=VersionReport,
        stops=True,
    ),
    Route("versions.delete", "DELETE", _VERSION, Nothing, "Remove a version"),
    Route(
        "versions.tag",
        "PUT",
        f"{_ONE}/tags/{{tag}}",
        Version,
        "Let a tag name a version",
        request=TagRequest,
    ),
    Route("versions.untag", "DELETE", f"{_ONE}/tags/{{tag}}", Nothing, "Remove a tag"),
    Route(
        "versions.files",
        "GET",
        f"{_VERSION}/files",
        Page[DataFile],
        "List a folder of a version, or search below it",
        query=FileQuery,
        noun="datasets",
    ),
    Route(
        "versions.content",
        "GET",
        f"{_VERSION}/content",
        ContentChunk,
        "Read a part of a file of a version",
        query=ContentQuery,
    ),
    Route(
        "versions.preview",
        "GET",
        f"{_VERSION}/preview",
        FilePreview,
        "Preview a file of a version",
        query=PreviewQuery,
    ),
    Route(
        "versions.compare",
        "GET",
        f"{_VERSION}/differences",
        Comparison,
        "Compare a version with a later one",
        query=CompareQuery,
    ),
    Route(
        "versions.verify",
        "POST",
        f"{_VERSION}/verify",
        Job,
        "Hash a version again, in its lake and in the cache",
        request=VerifyRequest,
    ),
)
