"""Rules about who reaches what: rights, isolation, secrets, images, the host."""

from __future__ import annotations

from typing import Final

from gpu_cluster_policies.rule import ResourceRule, StackRule
from gpu_cluster_policies.security.host import HOST_PATH, PRIVILEGED_POD
from gpu_cluster_policies.security.images import IMAGE_OUTSIDE_REGISTRIES, IMAGE_WITHOUT_TAG
from gpu_cluster_policies.security.isolation import (
    NAMESPACE_WITHOUT_POD_SECURITY,
    TENANT_NAMESPACE_WITHOUT_DEFAULT_DENY,
)
from gpu_cluster_policies.security.plaintext import DEFAULT_PASSWORD, PLAINTEXT_SECRET
from gpu_cluster_policies.security.rights import (
    CLUSTER_ADMIN_TO_TENANTS,
    RIGHTS_WITH_WILDCARD,
    TENANT_MAY_WRITE_QUEUES,
)

RULES: Final[tuple[ResourceRule | StackRule, ...]] = (
    CLUSTER_ADMIN_TO_TENANTS,
    RIGHTS_WITH_WILDCARD,
    TENANT_MAY_WRITE_QUEUES,
    NAMESPACE_WITHOUT_POD_SECURITY,
    TENANT_NAMESPACE_WITHOUT_DEFAULT_DENY,
    PLAINTEXT_SECRET,
    DEFAULT_PASSWORD,
    PRIVILEGED_POD,
    HOST_PATH,
    IMAGE_WITHOUT_TAG,
    IMAGE_OUTSIDE_REGISTRIES,
)
