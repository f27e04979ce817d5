"""The login check before slurmdbd, against a real MariaDB."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real_slurm import PASSWORD, ROOT_PASSWORD, RealSlurm

from pulumi_gpu_cluster.slurm.login_job import LOGIN_VARIABLES

_WRONG = "of-another-volume"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealSlurm]:
    """A database whose root has a password on its port."""
    one = RealSlurm(tmp_path_factory.mktemp("database"))
    try:
        one.start_database()
        yield one
    finally:
        one.stop()


def _refusal(database: RealSlurm, **passwords: str) -> str:
    with pytest.raises(AssertionError) as refused:
        database.log_in(**passwords)
    said = str(refused.value)
    assert all(one not in said for one in (PASSWORD, ROOT_PASSWORD, _WRONG))
    return said


def test_the_passwords_that_the_volume_was_made_with_are_let_in(database: RealSlurm) -> None:
    assert "lets slurm in, with all rights on slurm_acct_db" in database.log_in()


def test_a_secret_that_is_not_the_volumes_is_told_as_such_with_the_way_back(
    database: RealSlurm,
) -> None:
    said = _refusal(database, root_password=_WRONG)
    assert "db-secret-volume-split: the volume of 127.0.0.1 was made with another root" in said
    assert f"Secret {LOGIN_VARIABLES['SECRET']}" in said
    assert "history of the stack file" in said


def test_a_users_password_that_is_not_the_databases_is_told_apart_from_roots(
    database: RealSlurm,
) -> None:
    said = _refusal(database, password=_WRONG)
    assert "db-secret-volume-split: root is let into 127.0.0.1 and slurm is not" in said


def test_a_user_who_may_only_read_and_write_is_told_before_slurmdbd_fails_over_it(
    database: RealSlurm,
) -> None:
    for host in ("127.0.0.1", "localhost"):
        database.sql(f"REVOKE ALL ON slurm_acct_db.* FROM slurm@{host}")
        database.sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON slurm_acct_db.* TO slurm@{host}")
    assert "has not all rights on slurm_acct_db" in _refusal(database)
    for host in ("127.0.0.1", "localhost"):
        # As an operator spells it that escapes what stands for any letter.
        database.sql(f"GRANT ALL PRIVILEGES ON `slurm\\_acct\\_db`.* TO slurm@{host}")
        database.sql(f"REVOKE ALL ON slurm_acct_db.* FROM slurm@{host}")
    database.log_in()


def test_a_database_that_does_not_answer_is_waited_for_and_not_called_split(
    database: RealSlurm,
) -> None:
    port, database.database_port = database.database_port, 1
    try:
        said = _refusal(database)
    finally:
        database.database_port = port
    assert "no answer of 127.0.0.1 after 4 s" in said
    assert "split" not in said.replace("db-secret-volume-split.sh", "")
