"""Environments."""

from __future__ import annotations

from ..model.environments import Environment, EnvironmentQuery
from ..model.environments import Environments as Answer
from .listing import Listing, Table
from .namespace import Namespace

ENVIRONMENTS = Table[Environment](
    columns={
        "id": lambda environment: environment.id,
        "label": lambda environment: environment.label,
        "prefix": lambda environment: environment.prefix,
        "python": lambda environment: environment.python,
        "image": lambda environment: environment.image,
        "default": lambda environment: environment.default,
        "problem": lambda environment: environment.problem,
    },
    shown=("id", "label", "prefix", "image", "default", "problem"),
    empty="No environments.",
)


class Environments(Namespace):
    """The Python prefixes and images that sessions can start from."""

    def list(self, *, project: str = "") -> Listing[Environment, Answer]:
        """List the environments of the first cluster, or of that of a project."""
        query = EnvironmentQuery(project=project)
        answer: Answer = self._context.call("environments.list", query=query)
        return Listing(answer, answer.environments, ENVIRONMENTS)
