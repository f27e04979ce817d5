from __future__ import annotations

from typing import Any

import pytest
from made_site import judged, places

from pulumi_gpu_cluster.secret import OPAQUE

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
FIRST = "site.storage.beegfs.file_systems[0]"


def file_system(**changes: object) -> dict[str, Any]:
    return {
        "name": "scratch",
        "management": "beegfs.lab.example",
        "path": "/k8s/lab",
        "auth": "a shared secret",
        "certificate": CERTIFICATE,
        **changes,
    }


def found(*file_systems: dict[str, Any], **changes: object) -> list[tuple[str, str]]:
    beegfs = {"file_systems": list(file_systems), **changes}
    return places(judged(storage={"beegfs": beegfs}))


def test_a_file_system_with_authentication_and_tls_is_all_right() -> None:
    assert found(file_system()) == []


def test_authentication_is_not_optional() -> None:
    assert found(file_system(auth=None)) == [("secret-missing", f"{FIRST}.auth")]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"auth": "/etc/beegfs/conn.auth"}, f"{FIRST}.auth"),
        ({"client": {"connAuthFile": "/etc/beegfs/conn.auth"}}, f"{FIRST}.client.connAuthFile"),
    ],
)
def test_the_path_of_a_connauth_file_on_the_host_is_refused(
    changes: dict[str, Any], path: str
) -> None:
    assert found(file_system(**changes)) == [("beegfs-auth-path", path)]


@pytest.mark.parametrize(
    "changes",
    [
        {"auth": "/a\n/b"},
        {"auth": "/AAA", "auth_encoding": "base64"},
        {"auth": OPAQUE},
    ],
)
def test_what_may_be_a_secret_is_not_taken_for_a_path(changes: dict[str, Any]) -> None:
    assert found(file_system(**changes)) == []


@pytest.mark.parametrize("setting", ["connDisableAuthentication", "sysMgmtdHost", "tlsDisable"])
def test_settings_that_have_a_key_of_their_own_do_not_come_by_the_client(setting: str) -> None:
    assert found(file_system(client={setting: "true", "connUseRDMA": "true"})) == [
        ("beegfs-client-setting", f"{FIRST}.client.{setting}")
    ]


@pytest.mark.parametrize("certificate", [None, "/etc/beegfs/cert.pem"])
def test_tls_is_never_off_without_a_word(certificate: str | None) -> None:
    assert found(file_system(certificate=certificate)) == [
        ("beegfs-without-tls", f"{FIRST}.certificate")
    ]


@pytest.mark.parametrize(
    ("mode", "refused"), [("0777", True), ("772", True), ("2770", False), ("0755", False)]
)
def test_volumes_are_not_open_to_everybody(mode: str, *, refused: bool) -> None:
    wanted = [("beegfs-open-volumes", f"{FIRST}.mode")] if refused else []
    assert found(file_system(mode=mode)) == wanted


def test_two_classes_of_one_file_system_agree_on_how_it_is_reached() -> None:
    other = file_system(name="archive", path="/archive")
    assert found(file_system(), other) == []
    assert found(file_system(), {**other, "auth": "another"}) == [
        ("beegfs-management-twice", "site.storage.beegfs.file_systems[1].auth")
    ]


def test_the_driver_runs_on_pools_that_exist() -> None:
    assert found(file_system(), pools=["train", "trian"]) == [
        ("beegfs-unknown-pool", "site.storage.beegfs.pools[1]")
    ]
