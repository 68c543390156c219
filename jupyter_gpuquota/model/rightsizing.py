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


class Variable(Model, frozen=True, kw_only=True):
    """A variable of a kernel; `size` is its approximate number of bytes."""

    name: str
    type: str
    size: int


class NotebookVariables(Model, frozen=True, kw_only=True):
    """The variables of a notebook's kernel, the largest first; there may be `more` of them.

    `path` identifies the notebook in its session, `name` is what its pages call it. `problem` is
    why the kernel cannot be asked, empty if it can.
    """

    path: str
    name: str
    variables: tuple[Variable, ...] = ()
    more: int = 0
    problem: str = ""


class SessionVariables(Model, frozen=True, kw_only=True):
    """The variables of a session's kernels. `problem` is why none of them can be kept."""

    items: tuple[NotebookVariables, ...] = ()
    problem: str = ""


class KeepRequest(Request, frozen=True, kw_only=True):
    """Variables of a notebook's kernel that are kept over a restart of its session."""

    path: str
    names: tuple[str, ...]


class ResizeRequest(Request, frozen=True, kw_only=True):
    """Request to restart a session with another share, in the words of `SessionRequest`.

    `volumes` are existing ones that are mounted besides those that it has, as `NAME:/path[:ro]`.
    With these alone, the share stays. `keep` names variables of its kernels that are kept in its
    folder; unless all of them can be, the session is not restarted.
    """

    gpu: Number = ""
    gpu_memory: Number = ""
    gpu_compute: Number = ""
    mig_profile: str = ""
    volumes: tuple[str, ...] = ()
    keep: tuple[KeepRequest, ...] = ()
