"""The controller's side of TLS."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path

from ..errors import Unsupported

log = logging.getLogger(__name__)

_OLDEST = ssl.TLSVersion.TLSv1_2


class Certificate:
    """A certificate and its key, read again for the next client when the files have changed.

    Raises Unsupported for files that cannot be used; later on the ones that were read last stay.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = certificate, key
        try:
            self._stamp = self._look()
            self._newest = self._load()
        except (OSError, ValueError) as error:
            raise Unsupported(
                f"The certificate {certificate} with the key {key} cannot be used: {error}.",
                hint="Both must be in PEM format, the key without a passphrase.",
            ) from error
        self.context = self._load()
        self.context.sni_callback = self._use_newest

    def _use_newest(
        self, connection: ssl.SSLObject, _name: str | None, _old: ssl.SSLContext
    ) -> None:
        """Answer a client's first words; called for every client, whether it names us or not."""
        try:
            if (stamp := self._look()) != self._stamp:
                self._stamp = stamp
                self._newest = self._load()
                log.info("the certificate was read again")
        except (OSError, ValueError) as error:
            log.warning("the changed certificate cannot be used, the last one stays: %s", error)
        connection.context = self._newest

    def _load(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = _OLDEST
        certificate, key = self._files
        # A key with a passphrase would be asked for on a terminal that nobody watches.
        context.load_cert_chain(certificate, key, password="")
        return context

    def _look(self) -> tuple[int, ...]:
        return tuple(path.stat().st_mtime_ns for path in self._files)
