"""The process of a job: `python -m jupyter_gpuquota.store VERB …`.

It is in this package by name only. What it runs is `jobs`, the layer above: the one exception to
the layers.
"""

from __future__ import annotations

from ..startup import paused_gc, use_utf8

with paused_gc():
    from ..jobs.main import main
    from .processes import leave

if __name__ == "__main__":
    use_utf8()
    leave(main())
