"""Secrets: every key that holds one is marked, and what is missing is known."""

from __future__ import annotations

from typing import Annotated

from made_site import made_site
from pydantic import SecretStr

from pulumi_gpu_cluster.reading.structure import keys_of, leaves, open_section
from pulumi_gpu_cluster.secret import (
    OPAQUE,
    Generated,
    Given,
    missing_secrets,
    plain_secrets,
    secret_paths,
)
from pulumi_gpu_cluster.section import Section
from pulumi_gpu_cluster.site import Site


class Account(Section):
    name: str
    password: Annotated[SecretStr | None, Generated("password")] = None


class Database(Section):
    key: Annotated[SecretStr | None, Generated("key")] = None
    licence: Annotated[SecretStr | None, Given("the vendor's licence")] = None
    proxy: Annotated[SecretStr | None, Given("a proxy's password", needed=False)] = None
    accounts: tuple[Account, ...] = ()


class Example(Section):
    name: str = "lab"
    database: Database | None = None


def test_every_secret_of_the_site_says_where_it_comes_from() -> None:
    secret = [
        path
        for path, key in leaves(Site)
        if "SecretStr" in str(_field(path[:-1], path[-1]))
        and not any(isinstance(mark, (Generated, Given)) for mark in key.marks)
    ]
    assert secret == []
    assert ("control_plane", "kubeconfig") in dict(secret_paths(Site))


def _field(path: tuple[str | int, ...], name: str | int) -> object:
    section: type[Section] = Site
    for step in path:
        key = keys_of(section).get(str(step))
        section = key.section if key is not None and key.section is not None else section
    field = section.model_fields.get(str(name))
    return None if field is None else field.annotation


def test_keys_that_the_author_chooses_hold_no_secrets() -> None:
    # `secret_paths` does not look below them.
    def below(section: type[Section]) -> list[type[Section]]:
        inner = [key.section for key in keys_of(section).values() if key.section is not None]
        chosen = open_section(section)
        return [
            section,
            *(one for part in inner for one in below(part)),
            *(below(chosen) if chosen is not None else []),
        ]

    for section in below(Site):
        if open_section(section) is not None:
            assert all("Secret" not in str(key) for key in keys_of(section).values())


def test_a_section_that_is_absent_needs_no_secrets() -> None:
    assert missing_secrets(Example()) == ()
    assert missing_secrets(made_site()) == ()


def test_what_is_missing_is_listed_with_its_place_in_the_configuration() -> None:
    site = Example(
        database=Database(accounts=(Account(name="a", password=SecretStr("x")), Account(name="b")))
    )
    assert [(one.config_path, one.mark) for one in missing_secrets(site)] == [
        ("gpu-cluster:site.database.key", Generated("key")),
        ("gpu-cluster:site.database.licence", Given("the vendor's licence")),
        ("gpu-cluster:site.database.accounts[1].password", Generated("password")),
    ]


def test_an_encrypted_value_is_there_though_nobody_can_read_it() -> None:
    site = Example(database=Database(key=OPAQUE, licence=OPAQUE))
    assert missing_secrets(site) == ()


def test_plain_text_is_found_at_any_depth_and_encrypted_values_are_not() -> None:
    raw = {
        "database": {
            "key": "plain",
            "licence": OPAQUE,
            "proxy": None,
            "accounts": [{"name": "a", "password": OPAQUE}, {"name": "b", "password": "plain"}],
        }
    }
    assert list(plain_secrets(Example, raw)) == [
        ("database", "key"),
        ("database", "accounts", 1, "password"),
    ]


def test_data_of_a_wrong_shape_holds_no_secrets_that_could_be_named() -> None:
    for raw in (None, "text", [1], {"database": "text"}, {"database": {"accounts": "text"}}):
        assert list(plain_secrets(Example, raw)) == []
