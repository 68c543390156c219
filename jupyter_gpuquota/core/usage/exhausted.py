"""Whether a program ended because the memory of its GPU was used up, by the end of its log.

XLA (JAX, TensorFlow) tries to reserve most of a GPU, then less, and reports each attempt that
fails: with part of a GPU that is normal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SAYS = re.compile(
    r"""
      CUDA\ out\ of\ memory                                # PyTorch
    | CUDA\ error:\ out\ of\ memory                        # PyTorch, RMM
    | CUDA_ERROR_OUT_OF_MEMORY | cudaErrorMemoryAllocation  # the driver, the runtime
    | (?:cuda|hip)Malloc\w*\ failed:\ out\ of\ memory       # ggml
    | RESOURCE_EXHAUSTED:\ Out\ of\ memory                  # JAX
    | OOM\ when\ allocating\ tensor                         # TensorFlow
    | cupy\S*OutOfMemoryError                              # CuPy
    """,
    re.VERBOSE,
)

_ATTEMPT = re.compile(r"(?i:failed to allocate) .*(device memory|from device)")


def out_of_gpu_memory(lines: Iterable[str]) -> str:
    """Return the last line that says so in the words of a library, empty if none does."""
    return next((line.strip() for line in reversed([*lines]) if _says(line)), "")


def _says(line: str) -> bool:
    return bool(_SAYS.search(line)) and not _ATTEMPT.search(line)
