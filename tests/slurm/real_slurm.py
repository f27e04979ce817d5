"""Real MariaDB, slurmdbd and slurmctld on this machine, out of Debian's packages."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from debian_programs import debian_packages

from pulumi_gpu_cluster.slurm.accounting_job import accounting_script
from pulumi_gpu_cluster.slurm.database import my_cnf
from pulumi_gpu_cluster.slurm.login_job import LOGIN_VARIABLES, login_script
from pulumi_gpu_cluster.slurm.slurm_conf import client_settings

PACKAGES = (
    "slurmctld",
    "slurmdbd",
    "slurm-client",
    "slurm-wlm-jwt-plugin",
    "munge",
    "mariadb-server",
)
CLUSTER = "ai-lab"
PASSWORD = "only-here"  # noqa: S105 - of a database on loopback that lives for a test
ROOT_PASSWORD = "only-there"  # noqa: S105 - as above


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@dataclass
class RealSlurm:
    """Daemons under one folder; they end with `stop`."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    running: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])
    database_port: int = field(default_factory=_free_port)
    accounting_port: int = field(default_factory=_free_port)
    controller_port: int = field(default_factory=_free_port)

    def __post_init__(self) -> None:
        unpacked = debian_packages(*PACKAGES)
        self.environment = {**os.environ, **unpacked.environment()}
        self.root = unpacked.root
        self.plugins = next(unpacked.root.glob("usr/lib/*/slurm-wlm"))
        self.jwt_key = secrets.token_bytes(32)

    def start_accounting(self) -> None:
        """The database with the settings of ours, munge, and slurmdbd."""
        self.start_database()
        self._start_munge()
        self._write("jwt.key", self.jwt_key)
        self._write(
            "slurmdbd.conf",
            f"DbdHost=localhost\nDbdPort={self.accounting_port}\nSlurmUser=root\n{self._auth()}"
            "StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\n"
            f"StoragePort={self.database_port}\nStorageUser=slurm\nStoragePass={PASSWORD}\n"
            f"StorageLoc=slurm_acct_db\nPidFile={self.folder}/slurmdbd.pid\n",
        )
        self._start("slurmdbd", "-D", SLURM_CONF=str(self.folder / "slurmdbd.conf"))
        self._await("slurmdbd", lambda: "started" in self.log("slurmdbd"))

    def start_controller(self, settings: str, nodes: str) -> None:
        """The controller, with our settings below what the operator writes above them."""
        (self.folder / "state").mkdir(exist_ok=True)
        host = socket.gethostname().partition(".")[0]
        self._write(
            "slurm.conf",
            f"ClusterName={CLUSTER}\nSlurmctldHost={host}(localhost)\n"
            f"SlurmctldPort={self.controller_port}\nSlurmUser=root\n{self._auth()}"
            f"StateSaveLocation={self.folder}/state\nSlurmdSpoolDir={self.folder}/spool\n"
            f"SlurmctldPidFile={self.folder}/slurmctld.pid\nMpiDefault=none\n"
            "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=localhost\n"
            f"AccountingStoragePort={self.accounting_port}\n"
            f"AccountingStoragePass={self.folder}/munge/socket\n{nodes}\n{settings}",
        )
        conf = str(self.folder / "slurm.conf")
        self._start("slurmctld-wlm", "-D", SLURM_CONF=conf)

    def apply(self, wanted: str) -> str:
        """Runs accounting.sh on a list as its Job would, by a token and nothing else."""
        self._write("accounting.sh", accounting_script())
        self._write("list", wanted)
        here = client_settings(CLUSTER).replace("slurm-accounting", "localhost")
        self._write(
            "client.conf",
            f"{here}AccountingStoragePort={self.accounting_port}\nPluginDir={self.plugins}\n",
        )
        return self._run(
            "bash", str(self.folder / "accounting.sh"), str(self.folder / "list"), PATIENCE="20"
        )

    def ask(self, *question: str) -> list[str]:
        """What sacctmgr answers, line by line."""
        return self._run("sacctmgr", "-nP", "show", *question).splitlines()

    def log(self, program: str) -> str:
        """What a daemon said until now."""
        return (self.folder / f"{program}.log").read_text(errors="replace")

    def stop(self) -> None:
        """Ends every daemon, the last one first."""
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def start_database(self) -> None:
        """The database alone, with Slurm's user and its rights."""
        data, base = self.folder / "data", self.root / "usr"
        settings = self.folder / "my.cnf"
        # A log of a gibibyte would only fill the disk here.
        settings.write_text(my_cnf("4Gi").replace("log_file_size=1024M", "log_file_size=64M"))
        self._run(
            "mariadb-install-db",
            "--no-defaults",
            f"--basedir={base}",
            f"--datadir={data}",
            "--user=root",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        )
        self._start(
            "mariadbd",
            f"--defaults-file={settings}",
            f"--basedir={base}",
            f"--datadir={data}",
            "--user=root",
            f"--socket={self.folder}/db",
            "--bind-address=127.0.0.1",
            f"--port={self.database_port}",
        )
        self._await("mariadbd", lambda: "ready for connections" in self.log("mariadbd"))
        grants = "".join(
            f"CREATE USER slurm@{host} IDENTIFIED BY '{PASSWORD}';"
            f"GRANT ALL ON slurm_acct_db.* TO slurm@{host};"
            for host in ("127.0.0.1", "localhost")
        )
        # Whether a connection comes from the address or the name is the resolver's choice.
        guarded = "".join(
            f"ALTER USER root@{host} IDENTIFIED BY '{ROOT_PASSWORD}';"
            for host in ("127.0.0.1", "localhost")
        )
        self.sql(f"CREATE DATABASE slurm_acct_db; {grants} {guarded}", password="")

    def sql(self, statements: str, password: str = ROOT_PASSWORD) -> str:
        """What the database answers its own root."""
        return self._run(
            "mariadb",
            "--no-defaults",
            f"--socket={self.folder}/db",
            "--user=root",
            f"--execute={statements}",
            MYSQL_PWD=password,
        )

    def log_in(self, password: str = PASSWORD, root_password: str = ROOT_PASSWORD) -> str:
        """What login.sh says, run as its Job would with these passwords."""
        self._write("login.sh", login_script())
        variables = {
            **LOGIN_VARIABLES,
            "HOST": "127.0.0.1",
            "PORT": str(self.database_port),
            "PASSWORD": password,
            "ROOT_PASSWORD": root_password,
            "PATIENCE": "4",
            "DENIED_PATIENCE": "2",
        }
        return self._run("bash", str(self.folder / "login.sh"), **variables)

    def _start_munge(self) -> None:
        home = self.folder / "munge"
        home.mkdir(mode=0o700)
        self._write("munge/key", secrets.token_bytes(128))
        files = [f"--{kind}-file={home}/{kind}" for kind in ("key", "pid", "seed", "log")]
        self._start("munged", "--force", "--foreground", f"--socket={home}/socket", *files)
        self._await("munged", (home / "socket").exists)

    def _auth(self) -> str:
        return (
            f"AuthType=auth/munge\nAuthInfo=socket={self.folder}/munge/socket\n"
            f"AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key={self.folder}/jwt.key\n"
            f"PluginDir={self.plugins}\n"
        )

    def _token(self) -> str:
        """A token as the operator signs it."""
        now = int(time.time())
        claims = {"sun": "root", "iat": now, "nbf": now, "exp": now + 600}
        parts = [json.dumps(one).encode() for one in ({"alg": "HS256", "typ": "JWT"}, claims)]
        text = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
        mark = hmac.new(self.jwt_key, text, hashlib.sha256).digest()
        return f"{text.decode()}.{base64.urlsafe_b64encode(mark).rstrip(b'=').decode()}"

    def _run(self, *command: str, **variables: str) -> str:
        client = {"SLURM_CONF": str(self.folder / "client.conf"), "SLURM_JWT": self._token()}
        done = subprocess.run(
            command,
            env={**self.environment, **client, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
        return done.stdout

    def _start(self, program: str, *arguments: str, **variables: str) -> None:
        with (self.folder / f"{program}.log").open("wb") as log:
            process = subprocess.Popen(
                [program, *arguments],
                env={**self.environment, **variables},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.running.append(process)

    def _await(self, program: str, there: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 30
        while not there():
            assert time.monotonic() < deadline, self.log(program)
            assert self.running[-1].poll() is None, self.log(program)
            time.sleep(0.1)

    def _write(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o600)
