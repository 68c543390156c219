"""Where versions come from, and what has used them."""

from __future__ import annotations

from ...errors import Unsupported
from ...model.datasets.lineage import Lineage, LineageQuery
from ...model.datasets.names import parse_name
from ...model.datasets.versions import Version
from .naming import OfVersions


class Lineages(OfVersions):
    """The lineage of datasets, here and in MLflow."""

    def lineage(self, name: str) -> Lineage:
        """Return what has made the versions of a dataset, or `NAME@REF`, and what has used them.

        Raises NotFound, Ambiguous.
        """
        named = parse_name(name)
        query = LineageQuery(version=named.ref)
        args = {"dataset": named.dataset}
        answer: Lineage = self._context.call("lineage.get", args, query=query)
        return answer

    def log_input(self, name: str, *, context: str = "") -> Version:
        """Log `NAME@REF` as an input of the current MLflow run, and return the version.

        The digest is the beginning of the version's id, as far as MLflow has room for it: 36
        digits. The whole id is in the tag `gpuquota.version` of the input. Raises NotFound, and
        Unsupported without MLflow.
        """
        version: Version = self._call_version("versions.get", name)
        try:
            from .mlflow_input import log_version  # noqa: PLC0415 (MLflow is optional, and large)
        except ModuleNotFoundError as error:
            raise Unsupported(
                "MLflow is not installed here.", hint="pip install mlflow-skinny, or mlflow."
            ) from error
        log_version(version, context)
        return version
