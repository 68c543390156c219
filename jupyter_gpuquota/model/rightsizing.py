"""Whether a session would do with another share."""

from __future__ import annotations

from typing import Literal

from .base import Model, Number, Open, Request
from .resources import Share

Verdict = Literal["smaller", "larger", "fits", "early", "unmeasured"]


class Advice(Model, frozen=True, kw_only=True):
    """Say whether a session would do with another share, by the GPU memory that it has used.

    `verdict` is `smaller` or `larger` (`share` would do), `fits`, `early` (it was not measured
    long enough) or `unmeasured`. `peak` and `memory` (of its share) are MiB, `peak` None where
    it was not measured; `seconds` is how long it was.
    """

    verdict: Open[Verdict]
    message: str
    peak: int | None = None
    memory: int = 0
    seconds: int = 0
    share: Share | None = None


class ResizeRequest(Request, frozen=True, kw_only=True):
    """Ask for a session again with another share, in the words of `SessionRequest`."""

    gpu: Number = ""
    gpu_memory: Number = ""
    gpu_compute: Number = ""
    mig_profile: str = ""
