"""Names that Slurm's objects have in the cluster, and what the operator derives from them."""

from __future__ import annotations

from typing import Final

CLUSTER: Final = "slurm"
"""Name of the Controller, Accounting and RestApi objects. Namespaces part two clusters."""

# source: SlinkyProject/slurm-operator v1.2.1 api/v1beta1/{accounting,controller}_keys.go: the
# services that the operator makes for objects of that name
ACCOUNTING_HOST: Final = f"{CLUSTER}-accounting"
CONTROLLER_HOST: Final = f"{CLUSTER}-controller"

DATABASE: Final = f"{CLUSTER}-database"
"""Name of the MariaDB object and of the service before it."""

DATABASE_NAME: Final = "slurm_acct_db"
DATABASE_USER: Final = "slurm"

BORROW: Final = "borrow"
"""QOS of jobs beyond a tenant's guarantee, which give way when a guarantee is called in."""

RESERVED: Final = (BORROW, "normal", "root")
"""Names of accounts and QOS that are taken: Slurm's own, and the one above."""

# The operator makes a Secret <name>-accounting and a ConfigMap <name>-config; these differ.
SLURM_KEY: Final = f"{CLUSTER}-auth-slurm"
JWT_KEY: Final = f"{CLUSTER}-auth-jwt"
DATABASE_PASSWORDS: Final = f"{CLUSTER}-database-passwords"
SSSD_CONF: Final = f"{CLUSTER}-sssd"
ACCOUNTING_TOKEN: Final = f"{CLUSTER}-accounting-token"
