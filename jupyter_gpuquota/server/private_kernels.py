"""Relays that this JupyterLab starts: their sockets are files, which others cannot open.

On a port of loopback, every account of the machine can connect to a kernel. Whoever starts a kernel
chooses its sockets. A kernel provisioner could do that in every client that has this product, but
hides the kernelspec in all others; there, `kernels.guard` refuses other accounts.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import NoSuchKernel

from ..kernels.specs import MARK
from ..unix_paths import folder_for, make_private

_FOLDER = "gpuquota"
_DIGITS = 12

log = logging.getLogger(__name__)


def keep_private(kernels: Any, opened: ExitStack) -> None:
    """Let a manager of kernels start those of our kernelspecs with sockets that are files.

    Managers that start kernels elsewhere are left as they are. A folder that does not outlive
    this server is removed when `opened` is closed.
    """
    if not (hasattr(kernels, "pre_start_kernel") and hasattr(kernels, "connection_dir")):
        return
    prepare = kernels.pre_start_kernel

    def prepared(kernel_name: str | None, kwargs: Any) -> tuple[Any, str, str]:
        manager, name, kernel = prepare(kernel_name, kwargs)
        if _is_ours(manager):
            try:
                folder = _folder(Path(kernels.connection_dir), opened)
            except OSError as error:
                log.warning("the sockets of %s are ports of this machine: %s", name, error)
            else:
                manager.transport = "ipc"
                manager.ip = str(folder / hashlib.sha256(kernel.encode()).hexdigest()[:_DIGITS])
        return manager, name, kernel

    kernels.pre_start_kernel = prepared


def _is_ours(manager: Any) -> bool:
    try:
        return MARK in manager.kernel_spec.metadata and manager.transport == "tcp"
    except NoSuchKernel:  # which is reported when it is started
        return False


def _folder(runtime: Path, opened: ExitStack) -> Path:
    """Return a private folder for sockets. Raises OSError."""
    wanted = runtime / _FOLDER
    folder = folder_for(wanted)
    if folder != wanted:
        make_private(folder)
        opened.callback(shutil.rmtree, folder, ignore_errors=True)
        return folder
    if not wanted.is_dir():
        make_private(wanted)
    found = wanted.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(1, "others can open the folder", str(wanted))
    return wanted
