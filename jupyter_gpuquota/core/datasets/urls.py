"""The URLs of lakes: which may be opened, and which are refused wherever they come from."""

from __future__ import annotations

from urllib.parse import urlsplit

from ..fields import FieldReader

SCHEMES = ("s3", "gs", "az", "file")


def check_url(field: str, url: str, reader: FieldReader) -> None:
    """Note an error of a URL that is not that of a lake, or contains credentials."""
    try:
        parts = urlsplit(url)
        has_secret = bool(parts.username or parts.password or parts.query or parts.fragment)
    except ValueError:
        reader.wrong(field, "lake.url", url=repr(url))
        return
    if has_secret:
        reader.wrong(field, "lake.url_secret")  # the text must not repeat it
    elif parts.scheme not in SCHEMES or not (
        parts.path.startswith("/") if parts.scheme == "file" else parts.netloc
    ):
        reader.wrong(field, "lake.url", url=repr(url))
