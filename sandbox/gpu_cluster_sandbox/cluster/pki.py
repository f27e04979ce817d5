"""The cluster's own certificate authorities and what they sign.

Three authorities: whoever holds a client certificate of the cluster must not thereby get at
etcd, where every secret lies, nor speak to the API server in another user's name.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from gpu_cluster_sandbox.cluster.files import write_private

SERVICE_ADDRESS: Final = "10.96.0.1"
"""What pods would call the API server by: the first address of the service range."""

FRONT_PROXY: Final = "front-proxy-client"
"""Who the API server is when it passes a user's request on to an extension API server."""

_VALID: Final = dt.timedelta(days=3650)
_API_NAMES: Final = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)


@dataclass(frozen=True)
class Identity:
    """A certificate's subject: user name, group, and whether a server or a client holds it."""

    name: str
    user: str
    authority: str = "ca"
    group: str = ""
    server: bool = False
    client: bool = True


# The user names are those that Kubernetes' built-in roles are bound to.
IDENTITIES: Final = (
    Identity("admin", user="gpu-cluster-admin", group="system:masters"),
    Identity("controller-manager", user="system:kube-controller-manager"),
    Identity("scheduler", user="system:kube-scheduler"),
    Identity("kwok", user="gpu-cluster-sandbox:kwok"),
    Identity("controllers", user="gpu-cluster-sandbox:controllers"),
    Identity("apiserver", user="kube-apiserver", server=True, client=False),
    Identity("components", user="components", server=True, client=False),
    Identity("etcd", user="etcd", authority="etcd-ca", server=True),
    Identity("apiserver-etcd", user="kube-apiserver", authority="etcd-ca"),
    Identity("front-proxy", user=FRONT_PROXY, authority="front-proxy-ca"),
)
_AUTHORITIES: Final = ("ca", "etcd-ca", "front-proxy-ca")


@dataclass(frozen=True)
class Pki:
    """The folder with every key and certificate."""

    folder: Path

    def certificate(self, name: str) -> Path:
        """The certificate called `name`."""
        return self.folder / f"{name}.crt"

    def key(self, name: str) -> Path:
        """The private key called `name`."""
        return self.folder / f"{name}.key"

    def ensure(self) -> None:
        """Make what is missing; what is there stays, so that nobody's kubeconfig ends."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for authority in _AUTHORITIES:
            if not self._has(authority):
                self._make_authority(authority)
                for identity in IDENTITIES:
                    if identity.authority == authority:
                        self.certificate(identity.name).unlink(missing_ok=True)
        for identity in IDENTITIES:
            if not self._has(identity.name):
                self.issue(identity)
        if not self.key("service-account").exists():
            write_private(self.key("service-account"), _key_bytes(_new_key()))

    def _has(self, name: str) -> bool:
        return self.certificate(name).exists() and self.key(name).exists()

    def _make_authority(self, name: str) -> None:
        key = _new_key()
        subject = _subject(f"gpu-cluster-sandbox {name}")
        builder = (
            _builder(subject, subject, key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(sign_certificates=True), critical=True)
        )
        self._write(name, key, builder.sign(key, hashes.SHA256()))

    def issue(self, identity: Identity) -> None:
        """Make one key with its certificate."""
        authority = x509.load_pem_x509_certificate(
            self.certificate(identity.authority).read_bytes()
        )
        authority_key = serialization.load_pem_private_key(
            self.key(identity.authority).read_bytes(), password=None
        )
        if not isinstance(authority_key, ec.EllipticCurvePrivateKey):
            raise TypeError(f"{self.key(identity.authority)} is not an elliptic curve key")
        usages = [ExtendedKeyUsageOID.SERVER_AUTH] * identity.server
        usages += [ExtendedKeyUsageOID.CLIENT_AUTH] * identity.client
        key = _new_key()
        builder = (
            _builder(_subject(identity.user, identity.group), authority.subject, key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(sign_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        )
        if identity.server:
            builder = builder.add_extension(_served_names(identity), critical=False)
        self._write(identity.name, key, builder.sign(authority_key, hashes.SHA256()))

    def _write(
        self, name: str, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate
    ) -> None:
        # The key first: a certificate that is there has its key.
        write_private(self.key(name), _key_bytes(key))
        write_private(self.certificate(name), certificate.public_bytes(serialization.Encoding.PEM))


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _key_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def _subject(user: str, group: str = "") -> x509.Name:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, user)]
    if group:
        parts.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, group))
    return x509.Name(parts)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        # An hour back: clocks of virtual machines step.
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + _VALID)
    )


def _key_usage(*, sign_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _served_names(identity: Identity) -> x509.SubjectAlternativeName:
    names: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    if identity.name == "apiserver":
        names.append(x509.IPAddress(ipaddress.ip_address(SERVICE_ADDRESS)))
        names.extend(x509.DNSName(name) for name in _API_NAMES)
    else:
        names.append(x509.DNSName("localhost"))
    return x509.SubjectAlternativeName(names)
