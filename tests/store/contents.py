"""Files for tests of folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

TAG = "Signature: 8a477f597d28d172789f06886806bc55"
"""What a tag of a cache begins with."""
KEY = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"


def put(root: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
