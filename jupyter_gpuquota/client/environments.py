"""Environments."""

from __future__ import annotations

from ..model.environments import Environment
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

    def list(self) -> Listing[Environment, Answer]:
        """List the environments."""
        answer: Answer = self._context.call("environments.list")
        return Listing(answer, answer.environments, ENVIRONMENTS)
