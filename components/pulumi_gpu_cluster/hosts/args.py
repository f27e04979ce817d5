"""The site file's sections on hosts that are reached over SSH."""

from __future__ import annotations

import base64
import binascii
import ipaddress
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from pulumi_gpu_cluster.kubernetes_names import VALUE_WORDS, is_label_value, is_subdomain
from pulumi_gpu_cluster.secret import Given
from pulumi_gpu_cluster.section import Login, Section, no_truth_value

_KEY_TYPES: Final = ("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ssh-rsa")
_LENGTH_BYTES: Final = 4


def _address(text: str) -> str:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        if not is_subdomain(text) or text.replace(".", "").isdigit():
            raise ValueError(
                "is no address; write an IP address or a DNS name, without port: 10.20.0.10"
            ) from None
    return text


def _host_key(text: str) -> str:
    kind, _, rest = text.partition(" ")
    encoded = rest.partition(" ")[0]
    try:
        blob = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        blob = b""
    name = len(kind).to_bytes(_LENGTH_BYTES) + kind.encode()
    if kind not in _KEY_TYPES or not blob.startswith(name) or len(blob) <= len(name):
        raise ValueError(
            "is no public host key; write a line of the host's /etc/ssh/ssh_host_*_key.pub, "
            "for example ssh-ed25519 AAAA..."
        )
    return f"{kind} {encoded}"


def _place(text: str) -> str:
    if not text or not is_label_value(text):
        raise ValueError(f"cannot be the value of a label; write {VALUE_WORDS}")
    return text


Address = Annotated[str, AfterValidator(_address)]
"""An IP address or a DNS name, without a port."""

HostKey = Annotated[str, AfterValidator(_host_key)]
"""A public host key as OpenSSH writes it, with or without a comment behind it."""

Port = Annotated[int, Field(ge=1, le=65535), BeforeValidator(no_truth_value)]
"""A TCP port."""

Place = Annotated[str, AfterValidator(_place)]
"""Where a host stands, as a value of a label."""


class BastionArgs(Section):
    """A host through which others are reached."""

    address: Address
    """Its address, as seen from where Pulumi runs."""

    user: Login
    """The user that logs in there, with the same private key."""

    port: Port = 22
    """Its SSH port."""

    host_key: HostKey
    """Its public host key: without it nobody knows whom one talks to."""


class SshArgs(Section):
    """How hosts are reached, unless `hosts` says otherwise for one of them."""

    user: Login
    """The user that logs in; it may run everything by sudo without a password."""

    port: Port = 22
    """The SSH port."""

    private_key: Annotated[
        SecretStr | None, Given("the private SSH key that opens every host, in OpenSSH's format")
    ] = None
    """The private key, as a secret: `pulumi config set --secret --path
    gpu-cluster:site.ssh.private_key < ~/.ssh/cluster`."""

    bastion: BastionArgs | None = None
    """The host through which the others are reached; none where they are reached directly."""


class HostArgs(Section):
    """What is special about one host."""

    address: Address | None = None
    """Its address, by default its name, found by DNS."""

    user: Login | None = None
    """The user that logs in there, by default that of `ssh`."""

    port: Port | None = None
    """Its SSH port, by default that of `ssh`."""

    host_key: HostKey | None = None
    """Its public host key, a line of its /etc/ssh/ssh_host_ed25519_key.pub. Needed for every host
    that is built over SSH: the first connection would otherwise trust whoever answers."""

    bastion: BastionArgs | None = None
    """The host through which it is reached, by default that of `ssh`."""

    bmc: Address | None = None
    """Address of its management controller (BMC, iDRAC, iLO)."""

    rack: Place | None = None
    """The rack it stands in."""

    leaf_switch: Place | None = None
    """The leaf switch of the compute fabric that it hangs on."""
