"""Design rules of BeeGFS: connections that prove who they are, and volumes that are not open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule
from pulumi_gpu_cluster.secret import EncryptedValue
from pulumi_gpu_cluster.storage.beegfs.args import BeegfsFileSystemArgs
from pulumi_gpu_cluster.wording import instead

_OTHERS_WRITE: Final = 0o002
_PEM: Final = "-----BEGIN CERTIFICATE-----"
# source: ThinkParQ/beegfs-csi-driver v1.8.0, docs/deployment.md: set by the driver itself, from
# elsewhere, or with effects that nobody describes
_NOT_BY_CLIENT: Final = {
    "connAuthFile": "auth",
    "connDisableAuthentication": "auth",
    "connInterfacesFile": "interfaces",
    "connRDMAInterfacesFile": "interfaces",
    "connTcpOnlyFilterFile": "interfaces",
    "connNetFilterFile": "interfaces",
    "sysMgmtdHost": "management",
    "tlsCertFile": "certificate",
    "tlsDisable": "certificate",
}


@rule(ERROR, waivable=False)
def beegfs_auth_path(case: Case) -> Iterator[Fault]:
    """Where BeeGFS's shared secret belongs stands the path of a file, which the driver cannot see.

    The driver runs in a container. What lies at that path on the host is not there.
    """
    for path, one in _file_systems(case):
        if "connAuthFile" in one.client:
            yield Fault(f"{path}.client.connAuthFile", _A_PATH, _PUT_CONTENT)
        elif one.auth is not None and not isinstance(one.auth, EncryptedValue):
            content = one.auth.get_secret_value().strip()
            if content.startswith("/") and "\n" not in content and one.auth_encoding == "raw":
                yield Fault(f"{path}.auth", _A_PATH, _PUT_CONTENT)


@rule(ERROR, waivable=False)
def beegfs_client_setting(case: Case) -> Iterator[Fault]:
    """A client setting is given that has a key of its own, or would switch authentication off."""
    for path, one in _file_systems(case):
        for setting in one.client:
            instead_of = _NOT_BY_CLIENT.get(setting)
            if instead_of is not None and setting != "connAuthFile":
                message = f"{setting} is not the client's to say here"
                yield Fault(f"{path}.client.{setting}", message, f"use {instead_of}")


@rule(ERROR)
def beegfs_without_tls(case: Case) -> Iterator[Fault]:
    """The driver would speak to the management service without TLS, and say nothing about it."""
    for path, one in _file_systems(case):
        if one.certificate is None:
            message = "is missing, and without it the driver leaves TLS out silently"
            fix = "add the management service's certificate in PEM; accept this for BeeGFS 7"
            yield Fault(f"{path}.certificate", message, fix)
        elif not one.certificate.lstrip().startswith(_PEM):
            message = f"does not begin with {_PEM}"
            yield Fault(f"{path}.certificate", message, "write the certificate itself, in PEM")


@rule(ERROR, waivable=False)
def beegfs_open_volumes(case: Case) -> Iterator[Fault]:
    """Everybody who sees the file system could write into tenants' volumes."""
    for path, one in _file_systems(case):
        if int(one.mode, 8) & _OTHERS_WRITE:
            message = f"{one.mode} lets everybody write who sees the file system"
            yield Fault(f"{path}.mode", message, 'write "2770" with the group that pods run with')


@rule(ERROR, waivable=False)
def beegfs_management_twice(case: Case) -> Iterator[Fault]:
    """Two entries for one file system differ in what the driver takes once for each."""
    first: dict[str, tuple[str, BeegfsFileSystemArgs]] = {}
    for path, one in _file_systems(case):
        before, other = first.setdefault(one.management, (path, one))
        differ = [key for key in _ONE_EACH if getattr(one, key) != getattr(other, key)]
        if differ:
            message = f"differs from that at {before}, and both are of {one.management}"
            yield Fault(f"{path}.{differ[0]}", message, "write the same in both entries")


@rule(ERROR, waivable=False)
def beegfs_unknown_pool(case: Case) -> Iterator[Fault]:
    """The BeeGFS driver is to run on a pool that the site does not have."""
    if case.site.storage.beegfs is not None:
        for index, name in enumerate(case.site.storage.beegfs.pools):
            if name not in case.pools:
                fix = instead(name, list(case.pools))
                path = f"site.storage.beegfs.pools[{index}]"
                yield Fault(path, f"there is no pool {name}", fix)


def _file_systems(case: Case) -> Iterator[tuple[str, BeegfsFileSystemArgs]]:
    if case.site.storage.beegfs is not None:
        for index, one in enumerate(case.site.storage.beegfs.file_systems):
            yield f"site.storage.beegfs.file_systems[{index}]", one


_A_PATH: Final = "is the path of a file, and the driver's container does not have the host's files"
_PUT_CONTENT: Final = "set auth to the content of the file, as a secret"
_ONE_EACH: Final = ("auth", "auth_encoding", "certificate", "interfaces", "client")

RULES: Final[tuple[Rule, ...]] = (
    beegfs_auth_path,
    beegfs_client_setting,
    beegfs_without_tls,
    beegfs_open_volumes,
    beegfs_management_twice,
    beegfs_unknown_pool,
)
