"""The interface to what is known of sessions besides their own objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...model.reasons import Reason
from ...model.resources import Isolation, Placement
from ...model.sessions import Session, SessionSpec
from ..engines.engine import Admission, EnginePatch
from ..objects.pods import Pod
from ..state.attached import Attached


class Facts(Protocol):
    """Facts of the engine, of shares and of nodes. Every method answers from memory."""

    def admission(self, session: Session) -> Admission:
        """Return what the engine says about a session."""

    def placement(self, pod: Pod) -> Placement | None:
        """Return where a pod holds resources, None if it holds none."""

    def isolation(self, spec: SessionSpec) -> Isolation | None:
        """Return what isolates the share of a request, None for one without a GPU."""

    def data(self, session: Session) -> Reason | None:
        """Return why the datasets of a session are not there, None if they are, or it has none."""

    def attached(self, session: Session) -> Sequence[Attached]:
        """Return the volumes that tie a session to nodes, as others mount them there now."""

    def lost(self) -> frozenset[str]:
        """Return the nodes that do not respond."""

    def engine(self, spec: SessionSpec) -> EnginePatch:
        """Return what the engine adds to the workload of a request."""
