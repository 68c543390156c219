"""A cluster that runs already, named by `KUBECONFIG_TEST`."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID

from scripts.cluster.rest import Rest
from scripts.cluster.setup import wait_for
from scripts.cluster.users import PEOPLE

SIGNER = "kubernetes.io/kube-apiserver-client"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


class Existing:
    """An existing cluster, and certificates that it has signed for the tests' people."""

    def __init__(self, admin: Path, folder: Path) -> None:
        self._admin = admin
        self._folder = folder

    @classmethod
    @contextmanager
    def connected(cls, admin: Path) -> Iterator[Existing]:
        """Connect with an administrator's kubeconfig."""
        with TemporaryDirectory() as folder:
            yield cls(admin, Path(folder))

    def kubeconfig(self, user: str = "admin") -> Path:
        """Return the kubeconfig of a user; one besides the administrator gets a certificate."""
        if user == "admin":
            return self._admin
        path = self._folder / f"{user}.kubeconfig"
        if not path.exists():
            config = yaml.safe_load(self._admin.read_text(encoding="utf-8"))
            name = next(
                entry["context"]["user"]
                for entry in config["contexts"]
                if entry["name"] == config["current-context"]
            )
            config["users"] = [{"name": name, "user": self._credentials(user)}]
            path.touch(0o600)
            path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return path

    def rest(self, user: str = "admin") -> Rest:
        """Return a user's connection."""
        return Rest.of(self.kubeconfig(user))

    def _credentials(self, user: str) -> dict[str, str]:
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.NameAttribute(NameOID.COMMON_NAME, user)]
        names += [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in PEOPLE[user]]
        request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(names))
        pem = request.sign(key, SHA256()).public_bytes(serialization.Encoding.PEM)
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return {
            "client-certificate-data": self._signed(user, pem),
            "client-key-data": base64.b64encode(private).decode(),
        }

    def _signed(self, user: str, request: bytes) -> str:
        """Have a certificate signed, and return it encoded."""
        rest, name = self.rest(), f"{user}-{secrets.token_hex(4)}"
        spec = {
            "request": base64.b64encode(request).decode(),
            "signerName": SIGNER,
            "usages": ["client auth"],
            "expirationSeconds": 86_400,
        }
        kind = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
        made = rest.create({**kind, "metadata": {"name": name}, "spec": spec})
        approved = {"type": "Approved", "status": "True", "reason": "Tests", "message": "for tests"}
        made["status"] = {"conditions": [approved]}
        rest.request("PUT", f"{REQUESTS}/{name}/approval", made)
        path = f"{REQUESTS}/{name}"
        wait_for(lambda: rest.get(path)["status"].get("certificate"), f"{name} is signed")
        certificate: str = rest.get(path)["status"]["certificate"]
        rest.delete(path)
        return certificate
