"""Who makes an object in a tenant's namespace: a controller, or somebody who says that one did."""

from __future__ import annotations

from typing import Final

# Controllers are service accounts of other namespaces; a tenant's own are the tenant.
BY_A_CONTROLLER: Final = (
    "'system:masters' in request.userInfo.groups"
    " || request.userInfo.username == 'system:kube-controller-manager'"
    " || (request.userInfo.username.startsWith('system:serviceaccount:')"
    " && !request.userInfo.username.startsWith("
    "'system:serviceaccount:' + request.namespace + ':'))"
    " || request.userInfo.username.startsWith('system:node:')"
)
"""Whether the request is a controller's, in CEL."""

SAYS_A_CONTROLLER_MADE_IT: Final = (
    "object.metadata.?ownerReferences.orValue([]).exists(owner, owner.?controller.orValue(false))"
)
"""Whether the object names a controller as its owner, in CEL."""
