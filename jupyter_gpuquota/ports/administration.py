"""What admins set."""

from __future__ import annotations

from typing import Protocol

from ..model.policy import Policy
from ..model.projects import AuditEntry, Groups, SetBy
from ..model.quota import Project, Rules
from ..model.resources import Node


class Administration(Protocol):
    """What admins set: projects, rules, node groups and the policy.

    What is asked was checked before. Its `revision` is that of what it was made from, empty
    for something new; it is refused with Outdated if somebody else was quicker. `who` goes into the
    audit log. Whatever changes something raises Conflict where a file sets projects, and
    StorageFailed; nothing has changed then.
    """

    def set_by(self) -> SetBy:
        """Return where projects are set."""

    def quota_path(self) -> str:
        """Return the file that sets projects, empty for none."""

    def warnings(self) -> tuple[str, ...]:
        """Return what is wrong with where projects are set."""

    def groups(self) -> Groups:
        """Return the node groups."""

    def found_nodes(self) -> tuple[Node, ...]:
        """Return nodes as they are found, without the groups set here."""

    async def put_project(self, project: Project, who: str) -> Project:
        """Make a project or change one; return it with its new revision. Raises Outdated."""

    async def delete_project(
        self, name: str, revision: str, who: str, *, drain: bool
    ) -> Project | None:
        """Delete a project; with `drain` return it as long as it has sessions.

        An empty `revision` deletes it whatever it is. Raises NotFound, InUse, Outdated.
        """

    async def put_rules(self, rules: Rules, who: str) -> Rules:
        """Change the rules; return them with their new revision. Raises Outdated."""

    async def put_groups(self, groups: Groups, who: str) -> Groups:
        """Change the node groups; return them with their new revision. Raises Outdated."""

    async def put_policy(self, policy: Policy, who: str) -> Policy:
        """Change the policy as a whole; return it with its new revision. Raises Outdated."""

    async def audit(self) -> tuple[AuditEntry, ...]:
        """Return who changed what, newest first."""
