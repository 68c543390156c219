"""The certificates of a test cluster: one authority, and one key pair for each of its users."""

from __future__ import annotations

from pathlib import Path

import trustme

NAMES = (
    "127.0.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default.svc",
    "visibility-server.kueue-system.svc",
)

SUBJECTS = {
    "apiserver": ("kube-apiserver", ""),
    "kubelet-client": ("kube-apiserver-kubelet-client", "system:masters"),
    "front-proxy": ("front-proxy-client", ""),
    "service-accounts": ("service-accounts", ""),
    "tls": ("webhooks", ""),
}
"""Common name and organization of each key pair."""


def write(folder: Path) -> None:
    """Write `ca.crt` and `ca.key`, and `NAME.crt` and `NAME.key` of each subject."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.crt")
    _write_key(authority.private_key_pem, folder / "ca.key")
    for name, (common_name, organization) in SUBJECTS.items():
        pair = authority.issue_cert(
            *NAMES, common_name=common_name, organization_name=organization or None
        )
        pair.cert_chain_pems[0].write_to_path(folder / f"{name}.crt")
        _write_key(pair.private_key_pem, folder / f"{name}.key")


def _write_key(key: trustme.Blob, path: Path) -> None:
    path.touch(0o600)
    key.write_to_path(path)
