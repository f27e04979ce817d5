"""What the engine starts: the pack of all rules. Making it blocks, so nothing else lives here."""

from pulumi_policy import EnforcementLevel, PolicyPack

from gpu_cluster_policies import RULES
from gpu_cluster_policies.rule import policy_of

PolicyPack(
    "gpu-cluster",
    policies=[policy_of(rule) for rule in RULES],
    enforcement_level=EnforcementLevel.MANDATORY,
)
