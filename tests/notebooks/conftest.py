"""The folders and the controller of the shell's tests, for kernels."""

from tests.ui.conftest import shell

__all__ = ["shell"]
