"""Opening the lakes of admins."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from ...model.datasets.datasets import Lake
from ...store.lake import credentials
from ...store.lake.connection import Connection, connect
from ..storage.files import sync_folder, writing

LOCAL = "local"
"""The lake of a backend that has folders, where admins have set up none."""


def local_lake(folder: Path) -> Lake:
    """Return the lake in a folder of this machine."""
    return Lake(name=LOCAL, url=folder.absolute().as_uri(), default=True)


def open_lake(lake: Lake) -> Connection:
    """Return the objects of a lake; the folder of a lake that is one is made.

    Raises InvalidFields, NotAllowed for credentials that cannot be read, StorageFailed.
    """
    parts = urlsplit(lake.url)
    if parts.scheme == "file":
        folder = Path(unquote(parts.path))
        with writing(folder):
            made = [each for each in (folder, *folder.parents) if not each.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            for each in made:
                sync_folder(each.parent)
    path = Path(lake.credentials) if lake.credentials else None
    return connect(lake.url, credentials.read(path) if path else {})
