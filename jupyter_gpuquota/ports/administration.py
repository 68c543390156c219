"""The settings of admins."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Protocol, TypeVar

from ..model.policy import Policy
from ..model.projects import AuditEntry, Groups, SetBy, SettingsText, SettingsTextRequest
from ..model.quota import Project, Rules
from ..model.resources import Node
from ..model.struct import Message

Part = Literal["rules", "groups", "policy"]
Whole = TypeVar("Whole", Rules, Groups, Policy)


class Administration(Protocol):
    """Reads and changes projects, rules, node groups and the policy.

    Arguments are already validated. Their `revision` is that of the object that they were made
    from, empty for a new one; if it has changed since, the call raises Outdated. `who` goes into
    the audit log. Changes raise Conflict where a file sets projects, and StorageFailed; nothing has
    changed then.
    """

    def set_by(self) -> SetBy:
        """Return where projects are set."""

    def quota_path(self) -> str:
        """Return the path of the file that sets projects, empty for none."""

    def warnings(self) -> tuple[str, ...]:
        """Return the problems of the file or database that sets projects."""

    def groups(self) -> Groups:
        """Return the node groups."""

    def found_nodes(self) -> tuple[Node, ...]:
        """Return the nodes as detected, without the groups set here."""

    async def put_project(self, project: Project, who: str) -> Project:
        """Create or change a project; return it with its new revision. Raises Outdated."""

    async def delete_project(
        self, name: str, revision: str, who: str, *, drain: bool
    ) -> Project | None:
        """Delete a project; with `drain`, return it while it still has sessions.

        An empty `revision` deletes any version of it. Raises NotFound, InUse, Outdated.
        """

    async def put(self, part: Part, wanted: Whole, who: str) -> Whole:
        """Change a part as a whole; return it with its new revision. Raises Outdated."""

    async def text(self) -> SettingsText:
        """Return all settings as the text of a quota file."""

    async def put_text(self, asked: SettingsTextRequest, who: str) -> SettingsText:
        """Change all settings by such a text; return it as it then is.

        Raises Outdated, InUse, and InvalidFields with the line of each mistake.
        """

    async def note(self, what: Message, at: datetime) -> None:
        """Add to the audit log what the system did at a time, if it is not there yet.

        Raises StorageFailed.
        """

    async def audit(self) -> tuple[AuditEntry, ...]:
        """Return the audit log, newest entry first."""
