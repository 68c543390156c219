"""The controller's side of TLS."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path

from ..errors import Unsupported

log = logging.getLogger(__name__)

_OLDEST = ssl.TLSVersion.TLSv1_2


class Certificate:
    """A certificate and its key, reloaded for the next client when the files have changed.

    Raises Unsupported for unusable files; if later changes are unusable, the last ones stay.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = certificate, key
        try:
            self._stamp = self._look()
            self._newest = self._load()
        except (OSError, ValueError) as error:
            raise Unsupported(
                f"The certificate {certificate} with the key {key} is unusable: {error}.",
                hint="Both must be in PEM format, the key without a passphrase.",
            ) from error
        self.context = self._load()
        self.context.sni_callback = self._use_newest

    def _use_newest(
        self, connection: ssl.SSLObject, _name: str | None, _old: ssl.SSLContext
    ) -> None:
        """Select the newest certificate in a TLS handshake, with or without server name."""
        try:
            if (stamp := self._look()) != self._stamp:
                self._stamp = stamp
                self._newest = self._load()
                log.info("the certificate was reloaded")
        except (OSError, ValueError) as error:
            log.warning("the changed certificate is unusable, the last one stays: %s", error)
        connection.context = self._newest

    def _load(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = _OLDEST
        certificate, key = self._files
        # For a key with a passphrase, OpenSSL would otherwise prompt on a terminal.
        context.load_cert_chain(certificate, key, password="")
        return context

    def _look(self) -> tuple[int, ...]:
        return tuple(path.stat().st_mtime_ns for path in self._files)
