"""Make test data of the local backend."""

from __future__ import annotations

from jupyter_gpuquota.core.idle.policy import BUILT_IN, Limits

LIMITS = Limits(**{name: getattr(BUILT_IN, name) for name in Limits.__slots__})
