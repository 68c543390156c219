"""Another share for a session: whether it would suit better, and what is kept of its kernels."""

from __future__ import annotations

from typing import Literal

from .resources import Share
from .struct import Model, Number, Open, Request

Verdict = Literal["smaller", "larger", "fits", "early", "unmeasured"]


class Advice(Model, frozen=True, kw_only=True):
    """Whether another share would suit a session, by the GPU memory that it has used.

    `verdict` is `smaller` or `larger` (`share` would do), `fits`, `early` (not measured for long
    enough) or `unmeasured`. `peak` and `memory` (of its share) are MiB, `peak` None where it was
    not measured; `seconds` is how long it was measured.
    """

    verdict: Open[Verdict]
    message: str
    peak: int | None = None
    memory: int = 0
    seconds: int = 0
    share: Share | None = None


class ResizeRequest(Request, frozen=True, kw_only=True):
    """Request to restart a session with another share, in the words of `SessionRequest`.

    `volumes` are existing ones that are mounted besides those that it has, as `NAME:/path[:ro]`.
    With these alone, the share stays. `keep` names variables that the next kernel of `notebook`
    gets, or of the only one that has a kernel; unless all of them can be kept, the session is not
    restarted.
    """

    gpu: Number = ""
    gpu_memory: Number = ""
    gpu_compute: Number = ""
    mig_profile: str = ""
    volumes: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    notebook: str = ""
