"""Build versitygw: `python -m scripts.s3`."""

from __future__ import annotations

from . import build

if __name__ == "__main__":
    build.ensure_built(build.VERSITYGW)
