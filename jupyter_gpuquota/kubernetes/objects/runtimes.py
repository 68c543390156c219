"""The runtimes of Kubeflow's Trainer: templates of what a TrainJob makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from .meta import Object


class TrainingRuntime(Object, frozen=True, kw_only=True):
    """A ClusterTrainingRuntime (`trainer.kubeflow.org/v1alpha1`), whose template is compared."""

    spec: Mapping[str, Any] = msgspec.field(default_factory=dict)
